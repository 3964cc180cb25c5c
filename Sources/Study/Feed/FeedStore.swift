import API
import Accounts
import HTTP
import Postgres
import Time

/// Addresses of calendars in the database.
struct FeedStore: Sendable {
    let database: Database
    let secret: Secret

    /// When the address that works now was made; nil if there is none.
    func madeAt(by uid: ID) async throws -> Instant? {
        try await database.read("SELECT calendar_feed_made_at(\(uid)) AS made_at").one["made_at"]
    }

    /// Makes a new address, and ends the one before.
    func make(_ token: Token, for caller: Caller, from client: ClientAddress) async throws {
        _ = try await Refusal.accounts.mapConstraints {
            try await database.write(
                """
                SELECT make_calendar_feed(\(caller.uid), \(caller.signIn), \(token.mac(.calendarFeed, secret)),
                  \(client.limitKey))
                """)
        }
    }

    /// false if there is none.
    func end(of uid: ID, from client: ClientAddress) async throws -> Bool {
        try await database.write("SELECT end_calendar_feed(\(uid), \(client.limitKey))").one.decode(Bool.self)
    }

    /// The sessions behind an address, and the language of their owner; nil if it is nobody's.
    func sessions(_ token: Token) async throws -> (sessions: [CalendarSession], language: Language)? {
        let owners = try await database.read(
            "SELECT uid, locale FROM calendar_feed_owner(\(token.mac(.calendarFeed, secret)))")
        guard let owner = owners.first else { return nil }
        let rows = try await database.read(
            """
            SELECT session_id, started_at, ended_at, seconds, changed_at, subject, task, note
            FROM calendar_sessions(\(try owner["uid"] as ID))
            """)
        let sessions = try rows.map { row in
            CalendarSession(
                id: try row["session_id"], start: try row["started_at"], end: try row["ended_at"],
                seconds: try row["seconds"], changedAt: try row["changed_at"], subject: try row["subject"],
                task: try row["task"], note: try row["note"])
        }
        return (sessions, try owner["locale"])
    }
}
