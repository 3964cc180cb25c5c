import HTTP
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

    @Test func `what does not finish is closed by the deadline`() async throws {
        let gate = Gate()
        let server = try TestServer([gate.route]) { $0.stopDeadline = .milliseconds(50) }
        let busy = try await busyClient(server, gate)
        await server.server.stop()
        #expect(try await busy.receiveAll() == "")
        gate.open()
    }
}
