import Postgres

/// What the service does by itself, and whether it keeps up.
extension Doctor {
    /// A mail that failed is due again later, so what waits is counted by when it was asked for.
    func mail(_ database: Database) async throws -> Finding {
        let row = try await database.read(
            """
            SELECT count(*) FILTER (WHERE dead_at IS NULL)::integer AS waiting,
              coalesce(extract(epoch FROM anthill_clock() - min(created_at) FILTER (WHERE dead_at IS NULL)), 0)::integer
                AS age,
              coalesce(extract(epoch FROM anthill_clock() - min(due) FILTER (WHERE dead_at IS NULL)), 0)::integer AS late,
              (array_agg(last_error ORDER BY created_at, id)
                FILTER (WHERE dead_at IS NULL AND created_at < anthill_clock() - interval '10 minutes'
                  AND last_error IS NOT NULL))[1] AS failure,
              count(*) FILTER (WHERE dead_at > anthill_clock() - interval '1 day')::integer AS dead
            FROM mail_outbox WHERE sent_at IS NULL
            """
        ).one
        let (waiting, age, late): (Int, Int, Int) = (try row["waiting"], try row["age"], try row["late"])
        let (failure, dead): (String?, Int) = (try row["failure"], try row["dead"])
        var status: Health.Status = late > 3600 ? .critical : late > 600 || failure != nil ? .warning : .ok
        if dead > 0 { status = max(status, .warning) }
        let oldest = waiting > 0 ? ", the oldest for \(Duration.seconds(max(age, 0)).roughly)" : ""
        let why = failure.map { ": \($0)" } ?? ""
        return Finding("mail", status, "\(waiting) waiting\(oldest)\(why); \(dead) given up in the last day")
    }

    /// What waits for the end of quiet hours is not due.
    func pushes(_ database: Database) async throws -> Finding {
        let row = try await database.read(
            "SELECT pushes_waiting::integer AS waiting, overdue_push_seconds::integer AS age FROM service_figures()"
        ).one
        let (waiting, age): (Int, Int) = (try row["waiting"], try row["age"])
        let status: Health.Status = age > 3600 ? .critical : age > 60 ? .warning : .ok
        let oldest = age > 0 ? ", the oldest is due for \(Duration.seconds(age).roughly)" : ""
        return Finding("pushes", status, "\(waiting) waiting\(oldest)")
    }

    /// Changes that are not yet counted on the global board. They carry no time, so a change that waits now and still
    /// waits a few seconds later counts as late.
    func ranks(_ database: Database) async throws -> Finding {
        let now: Query = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
        let (end, waiting) = (
            try await database.read(now).one.decode(String.self), try await unfolded(database, before: nil)
        )
        guard waiting > 0 else { return Finding("ranks", .ok, "every change is counted on the global board") }
        try await Task.sleep(for: .seconds(3))
        let late = try await unfolded(database, before: end)
        return late == 0
            ? Finding("ranks", .ok, "changes are counted on the global board within 3 s")
            : Finding("ranks", .warning, "changes that wait for more than 3 s: \(late). Is the service running?")
    }

    private func unfolded(_ database: Database, before end: String?) async throws -> Int {
        try await database.read(
            """
            SELECT count(*)::integer FROM rank_deltas d JOIN rank_folding f ON d.written_in >= f.folded_before
            WHERE \(end)::xid8 IS NULL OR d.written_in < \(end)::xid8
            """
        ).one.decode(Int.self)
    }

    func months(_ database: Database) async throws -> Finding {
        let row = try await database.read(
            """
            SELECT count(*)::integer AS due,
              coalesce(extract(epoch FROM anthill_clock() - min(open_month_closes_at)), 0)::integer AS age
            FROM groups g WHERE is_due(g)
            """
        ).one
        let (due, age): (Int, Int) = (try row["due"], try row["age"])
        let status: Health.Status = age > 3600 ? .critical : age > 600 ? .warning : .ok
        let late = "months that wait to be closed: \(due), for up to \(Duration.seconds(age).roughly)"
        return Finding("months", status, due == 0 ? "no month waits to be closed" : late)
    }

    func backup(_ database: Database) async throws -> Finding {
        let age = try await database.read(
            "SELECT extract(epoch FROM anthill_clock() - last_backup())::integer AS age"
        ).one["age", as: Int?.self]
        guard let age else { return Finding("backup", .warning, "none was made yet: script/backup makes one") }
        let status: Health.Status = age > 7 * 86400 ? .critical : age > 26 * 3600 ? .warning : .ok
        return Finding("backup", status, "the last one was made \(Duration.seconds(age).roughly) ago")
    }

    func rows(_ database: Database) async throws -> Finding {
        let violations = try await CheckScript().violations(database)
        return violations.isEmpty
            ? Finding("rows", .ok, "every rule of check.sql holds")
            : Finding("rows", .critical, "\(violations.count) violations of the rules of check.sql", violations)
    }
}
