@testable import HTTP
import Testing

/// Who may send how much: decided by the head alone, and bounded for all connections together.
@Suite struct BodyTests {
    private struct NotYou: ResponseError {
        let status = Status.unauthorized
        let code = "not_you"
        let detail = Localized(ko: "당신은 안 돼요.", en: "Not you.")
    }

    /// Takes a megabyte from who gives the password in the head.
    private static let upload = Route(
        .post, "/upload", maxBody: 1_000_000,
        checkHead: { if $0.headers["Password"] != "sesame" { throw NotYou() } }
    ) { .text("\($0.body.count)") }

    /// Little room, of which the peer that stands for many may take all.
    @Sendable private static func spared(_ configuration: inout ServerConfiguration) {
        configuration.maxKept = 500_000
        configuration.trustedProxies = [AddressRange("127.0.0.1")].compactMap(\.self)
    }

    /// Sends all of a body but its last byte.
    private static func begin(_ head: String, _ length: Int, _ server: TestServer) throws -> TestConnection {
        let client = try TestConnection(server)
        let body = String(repeating: "a", count: length - 1)
        client.send("\(head)\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n\(body)")
        return client
    }

    private static let tall = String(repeating: "a", count: 1_000_000)

    @Test(arguments: [
        "Content-Length: 1000000\r\n", "Content-Length: 1000000\r\nExpect: 100-continue\r\n",
        "Transfer-Encoding: chunked\r\n",
    ])
    func `a large body is refused before any of it has come`(fields: String) async throws {
        try await TestServer.run([Self.upload]) { server in
            let client = try TestConnection(server)
            client.send("POST /upload HTTP/1.1\r\nHost: x\r\nAccept-Language: ko\r\n\(fields)\r\n")
            let answer = try await client.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\n") && answer.contains("당신은 안 돼요."))
            #expect(answer.contains("\r\nConnection: close\r\n"))
            #expect(server.records.map(\.status) == [.unauthorized] && server.records[0].route == "/upload")
        }
    }

    @Test func `a client that sends a refused body all the same can read the answer`() async throws {
        try await TestServer.run([Self.upload], { $0.lingerDeadline = .seconds(60) }) { server in
            let client = try TestConnection(server)
            client.send("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + Self.tall)
            #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
        }
    }

    @Test func `a large body comes whole once its head is accepted, and the connection goes on`() async throws {
        try await TestServer.run([Self.upload]) { server in
            let client = try TestConnection(server)
            let head = "POST /upload HTTP/1.1\r\nHost: x\r\nPassword: sesame\r\n"
            client.send(head + "Content-Length: 1000000\r\n\r\n" + Self.tall)
            #expect(try await client.receive(until: "\r\n\r\n1000000").hasPrefix("HTTP/1.1 200 OK\r\n"))
            client.send(head + "Transfer-Encoding: chunked\r\n\r\nf4240\r\n\(Self.tall)\r\n0\r\n\r\n")
            #expect(try await client.receive(until: "\r\n\r\n1000000").hasPrefix("HTTP/1.1 200 OK\r\n"))
            client.send(head + "Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send(Self.tall)
            #expect(try await client.receive(until: "\r\n\r\n1000000").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `a small body needs no check of its head`() async throws {
        try await TestServer.run([Self.upload]) { server in
            let client = try TestConnection(server)
            client.send("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try await client.receive(until: "\r\n\r\n5").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `a client that leaves while its head is looked at does no harm`() async throws {
        let (stream, goOn) = AsyncStream.makeStream(of: Void.self)
        let slow = Route(
            .post, "/upload", maxBody: 1_000_000,
            checkHead: { _ in for await _ in stream { break } }
        ) { .text("\($0.body.count)") }
        try await TestServer.run([slow]) { server in
            do {
                let client = try TestConnection(server)
                client.send("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
                await server.expectConnections(1)
                client.resetOnClose()
            }
            await server.expectConnections(0)
            goOn.finish()
            await server.expectKept(0)
            #expect(server.records.isEmpty)
        }
    }

    @Test func `bodies above what all may keep are 503, and fit again once others are through`() async throws {
        let routes = [
            Route(.post, "/small") { .text("\($0.body.count)") },
            Route(.post, "/large", maxBody: 1_000_000) { .text("\($0.body.count)") },
        ]
        try await TestServer.run(routes, Self.spared) { server in
            func begin(_ path: String, _ length: Int) throws -> TestConnection {
                try Self.begin("POST /\(path) HTTP/1.1", length, server)
            }
            let first = try begin("large", 150_000)
            await server.expectKept(150_000...155_000)
            // Large ones leave half to the small ones.
            let second = try await begin("large", 150_000).receiveAll()
            #expect(
                second.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n") && second.contains("\r\nRetry-After: 2\r\n"))
            #expect(second.contains(#""code":"busy""#))
            let small = try (0..<3).map { _ in try begin("small", 60_000) }
            await server.expectKept(330_000...340_000)
            #expect(try await begin("small", 65_000).receiveAll().hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
            // There is still room for requests without a body.
            let other = try TestConnection(server)
            other.send("GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try await other.receiveAll().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
            for (client, length) in [(first, 150_000)] + small.map({ ($0, 60_000) }) {
                client.send("a")
                #expect(try await client.receive(until: "\r\n\r\n\(length)").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
            await server.expectKept(0)
            let last = try begin("large", 180_000)
            last.send("a")
            #expect(try await last.receive(until: "\r\n\r\n180000").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `a small body finds room where large ones have none`() async throws {
        let route = Route(.post, "/", maxBody: 1_000_000) { .text("\($0.body.count)") }
        try await TestServer.run([route], Self.spared) { server in
            let large = try Self.begin("POST / HTTP/1.1", 200_000, server)
            await server.expectKept(200_000...205_000)
            let small = try Self.begin("POST / HTTP/1.1", 60_000, server)
            small.send("a")
            #expect(try await small.receive(until: "\r\n\r\n60000").hasPrefix("HTTP/1.1 200 OK\r\n"))
            withExtendedLifetime(large) {}
        }
    }

    @Test func `a length that is only declared takes no room`() async throws {
        let route = Route(.post, "/") { .text("\($0.body.count)") }
        try await TestServer.run([route], { $0.maxKept = 500_000 }) { server in
            let clients = try (0..<20).map { _ in try TestConnection(server) }
            for client in clients {
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\nExpect: 100-continue\r\n\r\n")
                #expect(try await client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            }
            for client in clients {
                client.send(String(repeating: "a", count: 60_000))
                #expect(try await client.receive(until: "\r\n\r\n60000").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
        }
    }

    @Test func `a client fills a quarter at most, and others find room`() async throws {
        let routes = [
            Route(.post, "/") { .text("\($0.body.count)") },
            Route(.get, "/") { _ in .text("hello") },
        ]
        try await TestServer.run(routes, Self.spared) { server in
            func begin(_ client: String) throws -> TestConnection {
                try Self.begin("POST / HTTP/1.1\r\nX-Forwarded-For: \(client)", 60_000, server)
            }
            let first = try begin("192.0.2.1")
            await server.expectKept(60_000...61_000)
            let second = try await begin("192.0.2.1").receiveAll()
            #expect(second.hasPrefix("HTTP/1.1 503 ") && second.contains(#""code":"busy""#))
            // What it reads has room still.
            let reading = try TestConnection(server)
            reading.send("GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n")
            #expect(try await reading.receiveAll().hasSuffix("hello"))
            let other = try begin("192.0.2.2")
            for client in [other, first] {
                client.send("a")
                #expect(try await client.receive(until: "\r\n\r\n60000").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
            // Nothing of it stays counted.
            for _ in 0..<3 {
                let again = try begin("192.0.2.1")
                again.send("a")
                #expect(try await again.receive(until: "\r\n\r\n60000").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
        }
    }

    @Test func `a large body without room is answered while its head is looked at`() async throws {
        let other = Route(.post, "/other", maxBody: 1_000_000) { _ in .noContent }
        try await TestServer.run([Self.upload, other], Self.spared) { server in
            let large = try Self.begin("POST /other HTTP/1.1", 200_000, server)
            await server.expectKept(200_000...205_000)
            let second = try Self.begin("POST /upload HTTP/1.1\r\nPassword: sesame", 70_000, server)
            #expect(try await second.receiveAll().contains(#""code":"busy""#))
            withExtendedLifetime(large) {}
        }
    }

    @Test func `a request without a body and without room is answered`() async throws {
        try await TestServer.run(TestServer.routes, { $0.maxKept = 1000 }) { server in
            let client = try TestConnection(server)
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "a", count: 2000) + "\r\n\r\n")
            #expect(try await client.receiveAll().contains(#""code":"busy""#))
        }
    }

    @Test func `heads, chunks and what waits behind a request count as well`() async throws {
        let (stream, goOn) = AsyncStream.makeStream(of: Void.self)
        let routes = [
            Route(.post, "/chunks") { .text("\($0.body.count)") },
            Route(.get, "/slow") { _ in
                for await _ in stream { break }
                return .noContent
            },
        ]
        try await TestServer.run(routes) { server in
            let head = try TestConnection(server)
            head.send("GET /slow HTTP/1.1\r\nX: " + String(repeating: "a", count: 10_000))
            await server.expectKept(10_000...25_000)
            let before = server.server.keptBytes
            let chunks = try TestConnection(server)
            chunks.send("POST /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n7530\r\n")
            chunks.send(String(repeating: "a", count: 30_000))
            await server.expectKept((before + 30_000)...(before + 80_000))
            let between = server.server.keptBytes
            let behind = try TestConnection(server)
            behind.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" + String(repeating: "a", count: 5_000))
            await server.expectKept((between + 5_000)...(between + 60_000))
            goOn.finish()
            for client in [head, chunks, behind] { client.shutdownSending() }
            await server.expectKept(0)
        }
    }

    @Test func `answers that nobody takes count, and the last of too many are given up`() async throws {
        let page = Response(headers: ["ETag": "\"x\""], body: .bytes([UInt8](repeating: 97, count: 60_000)))
        let routes = [Route(.get, "/page") { _ in page }]
        try await TestServer.run(
            routes,
            {
                Self.spared(&$0)
                $0.maxKept = 1_000_000
            }
        ) { server in
            let clients = try (0..<12).map { _ in try TestConnection(server) }
            await server.expectConnections(12)
            // More than the sockets' buffers take.
            for client in clients {
                client.send(String(repeating: "GET /page HTTP/1.1\r\nHost: x\r\n\r\n", count: 200))
            }
            let latest = ContinuousClock.now + .seconds(60)
            while server.server.connectionCount == 12, .now < latest { try await Task.sleep(for: .milliseconds(5)) }
            #expect((1...11).contains(server.server.connectionCount))
            #expect(server.server.keptBytes <= 1_000_000)
            withExtendedLifetime(clients) {}
        }
    }

    @Test func `a large answer that nobody takes counts, unless it stays in memory anyway`() async throws {
        // More than the sockets' buffers take.
        let page = [UInt8](repeating: 97, count: 30_000_000)
        let routes = [
            Route(.get, "/file") { _ in .file(page, type: "text/plain", isShared: true) },
            Route(.get, "/made") { _ in .file(page, type: "text/plain") },
        ]
        try await TestServer.run(routes, { $0.maxKept = 200_000_000 }) { server in
            let (file, made) = (try TestConnection(server), try TestConnection(server))
            file.send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await file.receive()
            made.send("GET /made HTTP/1.1\r\nHost: x\r\n\r\n")
            await server.expectKept(30_000_000...31_000_000)
            withExtendedLifetime([file, made]) {}
        }
    }
}
