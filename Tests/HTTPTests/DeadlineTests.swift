import HTTP
import Testing

/// Clients that take their time. Each deadline is a fraction of a second here, and the others are ten minutes: a
/// client that was not closed by the one in question would lose its patience.
@Suite(.serialized) struct DeadlineTests {
    private let short = Duration.milliseconds(80)

    private func expectClosed(
        after head: String, _ change: @escaping (inout ServerConfiguration) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await TestServer.run(TestServer.routes, change) { server in
            // From before the server can know of it: only then is what follows no shorter than the deadline.
            let time = try await SuspendingClock().measure {
                let client = try TestConnection(server)
                client.send(head)
                _ = try await client.receiveAll()
            }
            #expect(time >= short, sourceLocation: sourceLocation)
            await server.expectConnections(0)
        }
    }

    @Test func `silence after connecting ends by the head's deadline`() async throws {
        try await expectClosed(after: "") { $0.headDeadline = short }
    }

    @Test func `half a head, then silence, ends by the head's deadline`() async throws {
        try await expectClosed(after: "GET / HTTP/1.1\r\nHos") { $0.headDeadline = short }
    }

    @Test func `half a body, then silence, ends by the body's deadline`() async throws {
        try await expectClosed(after: "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel") {
            $0.bodyDeadline = short
        }
    }

    @Test func `silence between two requests ends by the idle deadline`() async throws {
        try await expectClosed(after: "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n") { $0.idleDeadline = short }
    }

    @Test(arguments: ["GET /hello HTTP/1.1\r\nX: ", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n"])
    func `a byte now and then does not put a deadline off`(head: String) async throws {
        try await TestServer.run(TestServer.routes) {
            $0.headDeadline = short
            $0.bodyDeadline = short
        } _: { server in
            let client = try TestConnection(server)
            client.send(head)
            var sent = 0
            while sent < 500, client.send("a") {
                sent += 1
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(sent < 500)
            await server.expectConnections(0)
        }
    }

    @Test func `a client that never reads is not read from, and closed by the deadline of writing`() async throws {
        let large = Response(body: .bytes([UInt8](repeating: 97, count: 60_000)))
        let routes = [Route(.get, "/large") { _ in large }]
        try await TestServer.run(routes, { $0.writeDeadline = .milliseconds(200) }) { server in
            let client = try TestConnection(server)
            let request = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"
            // As many as fit: with a limit, the server's answers stay few however many requests come.
            for _ in 0..<2000 where !client.send(request) { break }
            await server.expectConnections(0)
            #expect(server.records.count < 400)
        }
    }

    @Test func `a client that lingers after its last answer is closed`() async throws {
        try await TestServer.run(TestServer.routes, { $0.lingerDeadline = short }) { server in
            let client = try TestConnection(server)
            client.send("nonsense\r\n\r\n")
            #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            await server.expectConnections(0)
            withExtendedLifetime(client) {}
        }
    }
}
