import Glibc
@testable import HTTP
import Reactor
import Synchronization
import Testing

/// A server on a free port, and what it has logged.
final class TestServer: Sendable {
    static let group: EventLoopGroup = {
        let group = EventLoopGroup(count: 2)
        group.start()
        return group
    }()

    let server: Server
    private let log = Log()

    private final class Log: Sendable {
        let records = Mutex<[AccessRecord]>([])
    }

    init(_ routes: [Route] = TestServer.routes, _ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.lingerDeadline = .milliseconds(300)
        // A test may have to wait for its turn while a connection of it is silent: only the deadline it is about is short.
        configuration.headDeadline = .seconds(600)
        configuration.bodyDeadline = .seconds(600)
        configuration.idleDeadline = .seconds(600)
        configuration.writeDeadline = .seconds(600)
        configuration.stopDeadline = .seconds(600)
        change(&configuration)
        server = Server(configuration, group: Self.group, router: Router(routes)) { [log] record in
            log.records.withLock { $0.append(record) }
        }
        try server.start()
    }

    var records: [AccessRecord] { log.records.withLock { $0 } }

    /// Waits until so many connections are open.
    func expectConnections(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
        let latest = ContinuousClock.now + .seconds(60)
        while server.connectionCount != count, .now < latest { try? await Task.sleep(for: .milliseconds(5)) }
        #expect(server.connectionCount == count, sourceLocation: sourceLocation)
    }

    /// Waits until the connections keep so many bytes in memory.
    func expectKept(_ bytes: ClosedRange<Int>, sourceLocation: SourceLocation = #_sourceLocation) async {
        let latest = ContinuousClock.now + .seconds(60)
        while !bytes.contains(server.keptBytes), .now < latest { try? await Task.sleep(for: .milliseconds(5)) }
        #expect(bytes.contains(server.keptBytes), sourceLocation: sourceLocation)
    }

    func expectKept(_ bytes: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
        await expectKept(bytes...bytes, sourceLocation: sourceLocation)
    }

    /// Answers with what it was sent.
    static let routes: [Route] = [
        Route(.get, "/hello", query: ["a"]) { _ in .text("hello") },
        Route(.post, "/echo", maxBody: 1000) {
            .text(String(decoding: $0.body, as: UTF8.self))
        },
        Route(.get, "/path/{name}") { .text($0.parameter("name")) },
    ]

    /// Runs `body` with a server, which is stopped afterwards.
    static func run(
        _ routes: [Route] = TestServer.routes, _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = try TestServer(routes, change)
        do {
            try await body(server)
        } catch {
            await server.server.stop()
            throw error
        }
        await server.server.stop()
    }
}
