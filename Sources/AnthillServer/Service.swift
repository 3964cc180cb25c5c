import API
import Foundation
import Glibc
import HTTP
import Mail
import Postgres
import Ranking
import Reactor
import Schema

/// One run of `anthill serve`: from the first connection to the database to the last answer.
struct Service {
    let config: Config
    /// A slow reader of these does not hold up the service.
    private let output = LineWriter(STDOUT_FILENO) { "\($0) lines were dropped.\n" }
    private let errors = Log.standardError()
    private let log: Log

    init(_ config: Config) {
        self.config = config
        log = Log(errors)
    }

    /// Serves until SIGTERM or SIGINT, then finishes what is running. Throws when it cannot start.
    func run() async throws {
        let group = EventLoopGroup()
        group.start()
        let database = Database(url: config.databaseURL, group: group)
        try await database.start()
        let migrations = try Schema.migrations()
        try await migrations.check(database)
        RuleNumbers.current = try RuleNumbers(await Schema.ruleNumbers(database))
        let app = try App(config, database: database, migrations: migrations, group: group, log: log, say: say)
        let stop = Service.stopSignal(on: group.loops[0])
        let server = Server(app.serverConfiguration, group: group, router: app.router, log: access)
        try server.start()
        app.worker.start(app.letters)
        app.housekeeping.start()
        announce(port: server.port)

        await stop.first { _ in true }
        log(.info, "stopping")
        app.live.stop()
        await server.stop()
        app.housekeeping.stop()
        await app.worker.stop()
        await database.stop()
        group.stop()
        for writer in [output, errors] { writer.finish() }
    }

    /// Tells the person who started the program.
    private func say(_ text: String) { output.write(text + "\n") }

    private func announce(port: Int) {
        let host = config.listen.host.contains(":") ? "[\(config.listen.host)]" : config.listen.host
        say("Anthill is at \(config.baseURL.absoluteString) (listening on \(host):\(port)).")
        switch config.mail {
        case .smtp(let server): say("Mail goes out through \(server.host).")
        case .none: say("No mail is sent. `anthill link EMAIL` makes a link to hand over.")
        case .folder(let folder):
            let path = folder.path(percentEncoded: false)
            let page = config.isLocal ? " and shown at \(config.baseURL.absoluteString)/dev/mail" : ""
            say("Mail is written to \(path)\(page).")
        }
        if !config.isSecure, !config.isLocal {
            log(.warning, "ANTHILL_BASE_URL is http: sign-ins travel unencrypted; put TLS in front of it")
        }
    }

    /// One line per request, by the route's pattern: paths can hold invitation codes.
    private func access(_ record: AccessRecord) {
        log(
            record.status.code >= 500 ? .error : .info, "\(record.method) \(record.route)",
            [
                "status": record.status.code, "us": Int(record.duration / .microseconds(1)), "bytes": record.bytes,
                "client": record.client.text, "request": record.id,
            ])
    }

    /// Yields when the process is asked to stop.
    private static func stopSignal(on loop: EventLoop) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        loop.execute { loop.add(Signals.source([SIGINT, SIGTERM]) { _ in continuation.yield() }, .readable) }
        return stream
    }
}
