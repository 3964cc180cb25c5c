import Foundation
import HTTP
import Mail
import Postgres

// Every metric, with its words. docs/operate.md says when to worry.
extension MetricsText {
    mutating func add(_ http: ServerFigures) {
        begin("anthill_http_requests_total", .counter, "Requests answered, by route and class of status.")
        for (name, tally) in http.requests {
            for index in tally.statuses.indices where tally.statuses[index] > 0 {
                let labels: Labels = ["method": name.method, "route": name.route, "status": "\(index + 1)xx"]
                add(labels, tally.statuses[index])
            }
        }
        begin("anthill_http_request_duration_seconds", .histogram, "From the end of a request's head to its answer.")
        let bounds = Tally.bounds.indices.map { Tally.bounds[$0] / .seconds(1) }
        for (name, tally) in http.requests {
            let slots = tally.slots.indices.map { tally.slots[$0] }
            let labels: Labels = ["method": name.method, "route": name.route]
            add(labels, bounds: bounds, slots: slots, sum: tally.time / .seconds(1))
        }
        add("anthill_http_connections", .gauge, "Connections of clients that are open.", http.connections)
        add("anthill_http_streams", .gauge, "Connections that follow a live board.", http.streams)
        add(
            "anthill_http_connections_refused_total", .counter,
            "Connections closed at once, because there were too many.",
            http.refusedConnections)
        add("anthill_http_kept_bytes", .gauge, "Memory that requests and unsent answers take.", http.keptBytes)
        begin("anthill_loop_delay_seconds", .gauge, "How long each event loop took to turn to this scrape.")
        for (index, delay) in http.delays.sorted(by: { $0.key < $1.key }) {
            add(["loop": "\(index)"], delay / .seconds(1))
        }
    }

    mutating func add(_ pools: [LaneFigures.Kind: LaneFigures], failed: [FailureKind: Int]) {
        func each(_ name: String, _ help: String, _ value: KeyPath<LaneFigures, Int>) {
            begin(name, .gauge, help)
            for kind in LaneFigures.Kind.allCases { add(["lane": kind.rawValue], pools[kind]?[keyPath: value] ?? 0) }
        }
        each("anthill_database_lanes", "Connections to the database that there should be.", \.lanes)
        each("anthill_database_connections", "Connections to the database that are open.", \.connections)
        each(
            "anthill_database_connections_busy", "Connections that wait for an answer or are in a transaction.", \.busy)
        each("anthill_database_waiting", "Statements and transactions that wait for a connection.", \.waiting)
        begin("anthill_database_errors_total", .counter, "Statements and transactions that failed, by why.")
        for kind in FailureKind.allCases { add(["class": kind.rawValue], failed[kind] ?? 0) }
    }

    mutating func add(_ database: DatabaseFigures?) {
        add("anthill_database_up", .gauge, "Whether the database answered this scrape.", database == nil ? 0 : 1)
        guard let database else { return }
        add("anthill_database_size_bytes", .gauge, "The size of the database on disk.", database.databaseBytes)
        add("anthill_outbox_mails", .gauge, "Mails that are to be sent.", database.mailsWaiting)
        add("anthill_outbox_oldest_seconds", .gauge, "The age of the oldest of them.", database.oldestMailSeconds)
        add(
            "anthill_outbox_overdue_seconds", .gauge, "How long the next mail has been due, and nobody sends it.",
            database.overdueMailSeconds)
        add("anthill_pushes", .gauge, "Pushes that are to be sent.", database.pushesWaiting)
        add(
            "anthill_pushes_overdue_seconds", .gauge, "How long the next push has been due, and nobody sends it.",
            database.overduePushSeconds)
        add("anthill_webhook_messages", .gauge, "Messages to webhooks that are to be sent.", database.webhooksWaiting)
        add(
            "anthill_webhook_messages_oldest_seconds", .gauge, "The age of the oldest of them.",
            database.oldestWebhookSeconds)
        add(
            "anthill_webhook_messages_overdue_seconds", .gauge,
            "How long the next message to a webhook has been due, and nobody sends it.",
            database.overdueWebhookSeconds)
        begin("anthill_timers", .gauge, "Timers of people.")
        add(["state": "running"], database.timersRunning)
        add(["state": "paused"], database.timersPaused)
        add(
            "anthill_rank_changes_waiting", .gauge, "Changes that the counters of the global board do not know yet.",
            database.rankChangesWaiting)
        add(
            "anthill_rank_fold_lag_seconds", .gauge, "The age of the oldest of them, to the minute.",
            database.rankLagSeconds)
        add("anthill_months_due", .gauge, "Groups whose last month is to be closed now.", database.monthsDue)
        add(
            "anthill_backup_age_seconds", .gauge, "The age of the last backup; +Inf before the first.",
            database.backupAgeSeconds.map(Double.init) ?? .infinity)
    }

    mutating func add(_ replicas: [ReplicaFigures]) {
        if replicas.isEmpty { return }
        begin("anthill_replica_up", .gauge, "Whether a replica follows closely enough to be asked.")
        for replica in replicas { add(["replica": replica.name], replica.isFit ? 1 : 0) }
        begin("anthill_replica_lag_seconds", .gauge, "How much it lags at most.")
        for replica in replicas {
            if let lag = replica.lag { add(["replica": replica.name], lag / .seconds(1)) }
        }
        begin("anthill_replica_reads_total", .counter, "Reads that it answered.")
        for replica in replicas { add(["replica": replica.name], replica.reads) }
    }

    mutating func add(_ deliveries: DeliveryCounts, _ name: String, _ help: String) {
        begin(name, .counter, help)
        let all = deliveries.all
        for outcome in DeliveryCounts.Outcome.allCases { add(["outcome": outcome.rawValue], all[outcome] ?? 0) }
    }

    mutating func add(_ housekeeping: Housekeeping) {
        let chores = housekeeping.figures
        begin("anthill_chore_interval_seconds", .gauge, "How often a chore is done.")
        for chore in chores { add(["chore": chore.name], chore.interval) }
        begin("anthill_chore_last_success_timestamp_seconds", .gauge, "When this process last did it; 0 for never.")
        for chore in chores { add(["chore": chore.name], chore.record.lastSuccess?.timeIntervalSince1970 ?? 0) }
        begin("anthill_chore_failures_total", .counter, "How often it failed.")
        for chore in chores { add(["chore": chore.name], chore.record.failures) }
    }

    /// Under the names that every program has them.
    mutating func add(_ process: ProcessFigures, started: Date) {
        add("process_resident_memory_bytes", .gauge, "Memory of the process.", process.residentBytes)
        add("process_cpu_seconds_total", .counter, "Processor time of the process.", process.processorSeconds)
        add("process_open_fds", .gauge, "Descriptors that are open.", process.openDescriptors)
        add("process_max_fds", .gauge, "Descriptors that may be open.", process.mostDescriptors)
        add("process_start_time_seconds", .gauge, "When it began to serve.", started.timeIntervalSince1970)
    }

    private mutating func add(_ labels: Labels, _ value: Int) { add(labels, Double(value)) }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        add(name, kind, help, Double(value))
    }
}
