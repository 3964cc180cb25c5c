import HTTP
import Synchronization
import Testing

@Suite(.serialized) struct DownloadTests {
    /// Gives so many pieces of so many bytes, then ends or fails; counts what was asked for.
    private final class Source: Sendable {
        struct Broken: Error {}

        let route: @Sendable (Request) async throws -> Response

        init(pieces: Int, of size: Int, fails: Bool = false) {
            let count = counter
            route = { _ in
                count.value.withLock { $0 = 0 }
                return Response(
                    headers: ["Content-Type": "text/csv", "Cache-Control": "no-store"],
                    body: .download(
                        Download {
                            let number = count.value.withLock { value in
                                value += 1
                                return value
                            }
                            if number <= pieces { return [UInt8](repeating: UInt8(ascii: "a"), count: size) }
                            if fails { throw Broken() }
                            return nil
                        }))
            }
        }

        private final class Counter: Sendable { let value = Mutex(0) }
        private let counter = Counter()
        var count: Int { counter.value.withLock { $0 } }
    }

    private func routes(_ source: Source) -> [Route] {
        TestServer.routes + [Route(.get, "/file", source.route)]
    }

    private let request = "GET /file HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `a download is sent in chunks, and the connection goes on`() async throws {
        try await TestServer.run(routes(Source(pieces: 3, of: 10))) { server in
            let client = try TestConnection(server)
            client.send(request + "GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let all = try await client.receiveAll()
            #expect(all.contains("\r\nTransfer-Encoding: chunked\r\n"))
            #expect(
                all.contains("\r\n\r\na\r\naaaaaaaaaa\r\na\r\naaaaaaaaaa\r\na\r\naaaaaaaaaa\r\n0\r\n\r\nHTTP/1.1 200"))
            #expect(all.hasSuffix("hello"))
        }
    }

    @Test func `pieces beyond the size of a buffer arrive whole`() async throws {
        try await TestServer.run(routes(Source(pieces: 20, of: 300_000))) { server in
            let client = try TestConnection(server)
            client.send("GET /file HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let all = try await client.receiveAll()
            #expect(all.utf8.count { $0 == UInt8(ascii: "a") } > 6_000_000)
            #expect(all.hasSuffix("\r\n0\r\n\r\n"))
        }
    }

    @Test func `HTTP 1.0 gets it without chunks, up to the end of the connection`() async throws {
        try await TestServer.run(routes(Source(pieces: 2, of: 3))) { server in
            let client = try TestConnection(server)
            client.send("GET /file HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let all = try await client.receiveAll()
            #expect(!all.contains("Transfer-Encoding"))
            #expect(all.hasSuffix("\r\n\r\naaaaaa"))
        }
    }

    @Test func `HEAD has no body and makes none`() async throws {
        let source = Source(pieces: 2, of: 3)
        try await TestServer.run(routes(source)) { server in
            let client = try TestConnection(server)
            client.send("HEAD /file HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try await client.receiveAll().hasSuffix("\r\n\r\n"))
            #expect(source.count == 0)
        }
    }

    @Test func `an error cuts the answer off before its last chunk`() async throws {
        try await TestServer.run(routes(Source(pieces: 1, of: 3, fails: true))) { server in
            let client = try TestConnection(server)
            client.send(request)
            let all = try await client.receiveAll()
            #expect(all.hasPrefix("HTTP/1.1 200"))
            #expect(!all.contains("\r\n0\r\n"))
            await server.expectConnections(0)
        }
    }

    @Test func `no more is made than the client takes`() async throws {
        let source = Source(pieces: 1000, of: 1_000_000)
        try await TestServer.run(routes(source)) { server in
            let client = try TestConnection(server)
            client.send(request)
            _ = try await client.receive()
            for _ in 0..<200 where source.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(source.count < 50)
        }
    }
}
