import API
import Foundation
import Glibc
import HTTP
import Mail
import Postgres
import Push
import Ranking
import Reactor
import Schema
import Webhooks

/// One run of `anthill serve`: from the first connection to the database to the last answer.
struct Service {
    let config: Config
    let systemd: Systemd
    /// A slow reader of these does not hold up the service.
    private let output = LineWriter(STDOUT_FILENO) { "\($0) lines were dropped.\n" }
    private let errors = Log.standardError()
    private let log: Log

    init(_ config: Config, _ systemd: Systemd) {
        self.config = config
        self.systemd = systemd
        log = Log(errors)
    }

    /// Serves until SIGTERM or SIGINT, then finishes what is running. Throws when it cannot start.
    func run() async throws {
        let group = EventLoopGroup()
        group.start()
        let database = Database(url: config.databaseURL, replicas: config.replicaURL, group: group)
        try await database.start()
        let migrations = try Schema.migrations()
        try await migrations.check(database)
        try await Schema.checkHome(database)
        RuleNumbers.current = try RuleNumbers(await Schema.ruleNumbers(database))
        try await warnOfRights(database)
        let app = try App(config, database: database, migrations: migrations, group: group, log: log, say: say)
        let stop = Service.stopSignal(on: group.loops[0])
        var listening = app.serverConfiguration
        listening.listener = systemd.listener
        let server = Server(listening, group: group, router: app.router, log: access)
        try server.start(systemd.listener == nil ? "ANTHILL_LISTEN" : "LISTEN_FDS")
        let metrics = try config.metricsListen.map { listen in
            try Metrics(server: server, database: database, app: app, errors: errors).serve(listen, on: group, log)
        }
        server.resume(systemd.connections())
        app.worker.start(app.letters)
        app.pushes.start()
        app.webhooks.start()
        app.housekeeping.start()
        announce(port: server.port, metrics: metrics?.port)
        systemd.ready()

        await stop.first { _ in true }
        log(.info, "stopping")
        app.live.stop()
        async let unwatched: Void? = metrics?.stop()
        if systemd.keepsConnections { systemd.keep(await server.handOver()) } else { await server.stop() }
        await unwatched
        app.housekeeping.stop()
        async let pushed: Void = app.pushes.stop()
        async let told: Void = app.webhooks.stop()
        await app.worker.stop()
        await pushed
        await told
        await database.stop()
        group.stop()
        for writer in [output, errors] { writer.finish() }
    }

    /// Tells the person who started the program.
    private func say(_ text: String) { output.write(text + "\n") }

    private func announce(port: Int, metrics: Int?) {
        let place =
            systemd.listener == nil
            ? "listening on \(config.listen.place(port))" : "on a socket handed over, port \(port)"
        say("Anthill is at \(config.baseURL.absoluteString) (\(place)).")
        if let metrics, let listen = config.metricsListen {
            say("Metrics are at http://\(listen.place(metrics))/metrics.")
        }
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

    /// Warns if the login of the service may do more in the database than the service needs.
    private func warnOfRights(_ database: Database) async throws {
        let beyond = try await Schema.rightsBeyondNeed(database)
        guard !beyond.isEmpty else { return }
        let first = beyond.prefix(5).joined(separator: ", ") + (beyond.count > 5 ? " and \(beyond.count - 5) more" : "")
        log(.warning, "the service has rights in the database that it does not need", ["login": first])
    }

    /// One line per request, by the route's pattern: paths can hold invitation codes.
    private func access(_ record: AccessRecord) {
        log(
            record.status.code >= 500 ? .error : .info, "\(record.method) \(record.route)",
            [
                "status": record.status.code, "us": Int(record.duration / .microseconds(1)), "bytes": record.bytes,
                "client": record.client.text, "request": record.id, "trace_id": record.trace.text,
            ])
    }

    /// Yields when the process is asked to stop.
    private static func stopSignal(on loop: EventLoop) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        loop.execute { loop.add(Signals.source([SIGINT, SIGTERM]) { _ in continuation.yield() }, .readable) }
        return stream
    }
}
