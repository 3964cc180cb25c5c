import Foundation
import HTTP
import Mail
import Postgres
import Push
import Reactor
import Webhooks

/// `/metrics` for Prometheus, on a listener of its own.
struct Metrics: Sendable {
    private let server: Server
    private let database: Database
    private let mails: DeliveryCounts
    private let pushes: DeliveryCounts
    private let webhooks: DeliveryCounts
    private let housekeeping: Housekeeping
    private let errors: LineWriter
    private let health: [Route]
    private let started = Date.now
    /// The page is written there: it would hold up a loop.
    private let threads = WorkerPool(threads: 1, queue: 4, patience: .seconds(5))

    init(server: Server, database: Database, app: App, errors: LineWriter) {
        self.server = server
        self.database = database
        self.errors = errors
        mails = app.worker.counts
        pushes = app.pushes.counts
        webhooks = app.webhooks.counts
        housekeeping = app.housekeeping
        health = app.health
    }

    /// Begins to answer there; besides the metrics only the checks of health.
    func serve(_ listen: Config.Listen, on group: EventLoopGroup, _ log: Log) throws -> Server {
        var configuration = ServerConfiguration()
        configuration.host = listen.host
        configuration.port = Int(listen.port)
        configuration.maxConnections = 64
        let routes = [Route(.get, "/metrics") { _ in try await page() }] + health
        let server = Server(configuration, group: group, router: Router(routes, failed: log.failure)) { _ in }
        try server.start("ANTHILL_METRICS_LISTEN")
        return server
    }

    private func page() async throws -> Response {
        async let requests = server.figures()
        async let lanes = database.figures()
        async let asked = try? DatabaseFigures(database)
        let (http, pools, known) = await (requests, lanes, asked)
        let text = try await threads.run {
            var page = MetricsText()
            page.add(http)
            page.add(pools, failed: database.failed)
            page.add(known)
            page.add(database.replicaFigures)
            page.add(mails, "anthill_mail_deliveries_total", "Attempts to send a mail, by how they ended.")
            page.add(pushes, "anthill_push_deliveries_total", "Attempts to send a push, by how they ended.")
            page.add(
                webhooks, "anthill_webhook_deliveries_total", "Attempts to tell a webhook, by how they ended.")
            page.add(housekeeping)
            page.add(
                "anthill_log_lines_dropped_total", .counter, "Lines of the log that nobody read in time.",
                errors.allDropped)
            page.add(ProcessFigures(), started: started)
            return page.text
        }
        return .text(text, type: "text/plain; version=0.0.4; charset=utf-8").notStored()
    }
}
