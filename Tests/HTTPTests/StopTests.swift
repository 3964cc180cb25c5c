import Glibc
@testable import HTTP
import Synchronization
import Testing

@Suite(.serialized) struct StopTests {
    /// Holds handlers until it is opened, and tells when the first has come.
    private final class Gate: Sendable {
        private let state = Mutex((isOpen: false, hasVisitor: false))

        var hasVisitor: Bool { state.withLock(\.hasVisitor) }

        func open() { state.withLock { $0.isOpen = true } }

        func pass() async throws {
            state.withLock { $0.hasVisitor = true }
            while !state.withLock(\.isOpen) { try await Task.sleep(for: .milliseconds(5)) }
        }

        var route: Route {
            Route(.get, "/slow") { _ in
                try await self.pass()
                return .text("done")
            }
        }
    }

    /// A client whose request a handler is working on.
    private func busyClient(_ server: TestServer, _ gate: Gate) async throws -> TestConnection {
        let client = try TestConnection(server)
        client.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        while !gate.hasVisitor { try await Task.sleep(for: .milliseconds(5)) }
        return client
    }

    @Test func `a stopping server finishes what runs, closes what rests and takes nobody new`() async throws {
        let gate = Gate()
        let server = try TestServer(TestServer.routes + [gate.route])
        let idle = try TestConnection(server)
        idle.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await idle.receive(until: "hello")
        let busy = try await busyClient(server, gate)
        let port = server.server.port
        async let stopped: Void = server.server.stop()
        #expect(try await idle.receiveAll() == "")
        gate.open()
        let answer = try await busy.receiveAll()
        #expect(answer.hasSuffix("\r\n\r\ndone") && answer.contains("\r\nConnection: close\r\n"))
        await stopped
        #expect(throws: TestConnection.Failed.self) { try TestConnection(port: port) }
        #expect(server.server.connectionCount == 0)
    }

    @Test func `a connection whose answer ends while the server stops is kept`() async throws {
        // Each round meets another moment of stopping.
        for _ in 0..<100 {
            let gate = Gate()
            let server = try TestServer([gate.route])
            let busy = try await busyClient(server, gate)
            async let stopped = server.server.handOver()
            gate.open()
            let kept = await stopped
            try #require(kept.count == 1)
            kept.forEach { close($0) }
            _ = busy
        }
    }

    @Test func `idle connections that are kept go on at another server`() async throws {
        let gate = Gate()
        // They rest for as long as a busy machine takes.
        let first = try TestServer(TestServer.routes + [gate.route]) {
            ($0.headDeadline, $0.idleDeadline, $0.stopDeadline) = (.seconds(600), .seconds(600), .seconds(600))
        }
        let (new, used) = (try TestConnection(first), try TestConnection(first))
        used.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await used.receive(until: "hello")
        let busy = try await busyClient(first, gate)
        await first.expectConnections(3)
        async let stopped = first.server.handOver()
        gate.open()
        #expect(try await !busy.receive(until: "done").contains("Connection:"))
        let kept = await stopped
        #expect(kept.count == 3 && first.server.connectionCount == 0)
        used.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")

        try await TestServer.run {
            $0.headDeadline = .milliseconds(20)
        } _: { second in
            second.server.resume(kept)
            _ = try await used.receive(until: "hello")
            for client in [busy, new, used] {
                client.send("GET /path/again HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try await client.receive(until: "again")
            }
            #expect(second.server.connectionCount == 3)
        }
    }

    @Test func `a request whose head is being read is answered before the end`() async throws {
        let gate = Gate()
        let server = try TestServer(TestServer.routes + [gate.route]) { $0.lingerDeadline = .seconds(600) }
        var slow: TestConnection? = try TestConnection(server)
        slow?.send("GET /hello HTTP/1.1\r\n")
        await server.expectKept(1...10_000)
        let busy = try await busyClient(server, gate)
        var idle: TestConnection? = try TestConnection(server)
        async let stopped: Void = server.server.stop()
        // By now the server stops.
        #expect(try await idle?.receiveAll() == "")
        slow?.send("Host: x\r\n\r\n")
        #expect(try await slow?.receiveAll().hasSuffix("hello") == true)
        gate.open()
        #expect(try await busy.receive(until: "done").hasSuffix("done"))
        // It waits for its clients to have read everything.
        (slow, idle) = (nil, nil)
        busy.shutdownSending()
        await stopped
    }

    @Test func `a server listens on a socket that it was handed`() async throws {
        let first = try TestServer()
        let held = dup(try #require(first.server.descriptor))
        let port = first.server.port
        await first.server.stop()
        let client = try TestConnection(port: port)
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        try await TestServer.run {
            $0.listener = held
        } _: { second in
            #expect(second.server.port == port)
            _ = try await client.receive(until: "hello")
        }
    }

    @Test func `what is no listening socket is refused`() throws {
        for descriptor in [socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), open("/dev/null", O_RDONLY)] {
            #expect(throws: ListenError.self) { try TestServer { $0.listener = descriptor } }
            close(descriptor)
        }
    }

    @Test func `what does not finish is closed by the deadline`() async throws {
        let gate = Gate()
        let server = try TestServer([gate.route]) { $0.stopDeadline = .milliseconds(50) }
        let busy = try await busyClient(server, gate)
        await server.server.stop()
        #expect(try await busy.receiveAll() == "")
        gate.open()
    }
}
