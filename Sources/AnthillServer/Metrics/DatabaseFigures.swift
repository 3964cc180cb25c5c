import Postgres

/// What only the database knows, asked in one statement.
struct DatabaseFigures: Sendable {
    let mailsWaiting: Int
    let oldestMailSeconds: Int
    let overdueMailSeconds: Int
    let pushesWaiting: Int
    let overduePushSeconds: Int
    let webhooksWaiting: Int
    let oldestWebhookSeconds: Int
    let overdueWebhookSeconds: Int
    let timersRunning: Int
    let timersPaused: Int
    let rankChangesWaiting: Int
    let rankLagSeconds: Int
    let monthsDue: Int
    /// Of the last one; nil if there has been none.
    let backupAgeSeconds: Int?
    let databaseBytes: Int

    /// Throws ``PostgresError`` when the database is away or has no time. A transaction has a connection to itself, so no
    /// reader waits behind this.
    init(_ database: Database) async throws {
        let rows = try await database.transaction {
            try await database.write("SET LOCAL statement_timeout = '1s'")
            return try await database.read(
                """
                SELECT mails_waiting, oldest_mail_seconds, overdue_mail_seconds, pushes_waiting,
                  overdue_push_seconds, webhooks_waiting, oldest_webhook_seconds, overdue_webhook_seconds,
                  timers_running, timers_paused, rank_changes_waiting, rank_lag_seconds, months_due,
                  backup_age_seconds, pg_database_size(current_database()) AS database_bytes
                FROM service_figures()
                """)
        }
        let row = try rows.one
        mailsWaiting = try row["mails_waiting"]
        oldestMailSeconds = try row["oldest_mail_seconds"]
        overdueMailSeconds = try row["overdue_mail_seconds"]
        pushesWaiting = try row["pushes_waiting"]
        overduePushSeconds = try row["overdue_push_seconds"]
        webhooksWaiting = try row["webhooks_waiting"]
        oldestWebhookSeconds = try row["oldest_webhook_seconds"]
        overdueWebhookSeconds = try row["overdue_webhook_seconds"]
        timersRunning = try row["timers_running"]
        timersPaused = try row["timers_paused"]
        rankChangesWaiting = try row["rank_changes_waiting"]
        rankLagSeconds = try row["rank_lag_seconds"]
        monthsDue = try row["months_due"]
        backupAgeSeconds = try row["backup_age_seconds"]
        databaseBytes = try row["database_bytes"]
    }
}
