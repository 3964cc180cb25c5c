import API
import Groups
import HTTP
import Postgres

/// The mail queue, the audit and the figures of the service, in the database.
struct OversightStore: Sendable {
    let database: Database

    /// The mails of the outbox, the latest first: in one state, of one kind, or all.
    func mails(_ state: QueuedMail.State?, of kind: String?, _ paging: Paging) async throws -> Page<QueuedMail> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT * FROM mail_queue(\(state?.rawValue), \(kind), \(after?.instant), \(after?.id), \(paging.limit + 1))
            """)
        return try Page(rows, paging, by: "created_at", "id", item: QueuedMail.init)
    }

    /// Lets the worker try a mail again at once.
    func sendAgain(_ mail: ID, by admin: ID) async throws {
        try await Refusal.mapping { _ = try await database.write("SELECT send_mail_again(\(admin), \(mail))") }
    }

    /// What happened, the latest first: of one kind, about or by one user, in one group, or all.
    /// Reports about the viewer are left out.
    func events(
        for admin: ID, of kind: String?, _ user: ID?, in group: ID?, _ paging: Paging
    ) async throws -> Page<GroupEvent> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            "SELECT * FROM service_audit(\(admin), \(kind), \(user), \(group), \(after?.id), \(paging.limit + 1))")
        return try Page(rows, paging, by: "at", "id", item: GroupEvent.init)
    }

    /// The figures of the service. Reports about the viewer are left out.
    func figures(for admin: ID) async throws -> Figures {
        let row = try await database.read("SELECT * FROM service_overview(\(admin))").one
        return Figures(
            asOf: try row["as_of"], users: try row["users"], usersNewToday: try row["users_new_today"],
            usersActiveToday: try row["users_active_today"], usersOnGlobalBoard: try row["users_on_global_board"],
            groups: try row["groups"], sessionsToday: try row["sessions_today"],
            timersRunning: try row["timers_running"], mailsWaiting: try row["mails_waiting"],
            mailsFailed: try row["mails_failed"], oldestMailDue: try row["oldest_mail_due"],
            reportsOpen: try row["reports_open"], suspensionsInForce: try row["suspensions_in_force"])
    }
}

extension QueuedMail {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row["id"], kind: try row["kind"], state: try row["state"], createdAt: try row["created_at"],
            due: try row["due"], attempts: try row["attempts"], endedAt: try row["ended_at"],
            lastError: try row["last_error"])
    }
}
