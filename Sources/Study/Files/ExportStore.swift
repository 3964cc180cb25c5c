import API
import Postgres
import Time

/// A user's own data, for export.
struct ExportStore: Sendable {
    let database: Database

    /// The sessions that begin on these study days, the earliest first; nil is no limit.
    func sessions(of uid: ID, from: Day?, to: Day?, withDiscarded: Bool) async throws -> [ID] {
        try await database.read("SELECT session_id FROM exported_sessions(\(uid), \(from), \(to), \(withDiscarded))")
            .map { try $0.decode(ID.self) }
    }

    /// The rows that ``ExportedInterval`` reads.
    func intervals(of uid: ID, in sessions: [ID]) async throws -> Rows {
        try await database.read("SELECT * FROM exported_intervals(\(uid), \(sessions))")
    }

    /// Each session as a JSON text.
    func documents(of uid: ID, _ sessions: [ID]) async throws -> [String] {
        try await database.read("SELECT document FROM exported_documents(\(uid), \(sessions))")
            .map { try $0.decode(String.self) }
    }

    /// Everything except sessions, as JSON texts by name, and the time of the export.
    func account(of uid: ID) async throws -> (parts: [(name: String, content: String)], at: Instant) {
        let rows = try await database.read("SELECT part, content, anthill_clock() FROM exported_account(\(uid))")
        let parts = try rows.decode(String.self, String.self, Instant.self)
        guard let first = parts.first else { throw Refusal.study.sessionNotFound }
        return (parts.map { (name: $0.0, content: $0.1) }, first.2)
    }

    /// The user's study day, for the name of a file.
    func today(of uid: ID) async throws -> Day {
        try await database.read("SELECT today_of(\(uid))").one.decode(Day.self)
    }
}

/// One row of the interval table: an interval with its session's data.
struct ExportedInterval: Sendable {
    let sessionID: ID
    let intervalID: ID
    let startedAt: Instant
    let endedAt: Instant?
    /// nil while it runs or its end is not confirmed.
    let seconds: Int?
    let sessionState: String
    let state: String
    let sessionSource: String
    let source: String
    let subject: String?
    let task: String?
    let note: String?
    let timeZone: String
    let dayStartsAt: String
    let recordedAt: Instant

    init(_ row: Row) throws {
        sessionID = try row["session_id"]
        intervalID = try row["interval_id"]
        startedAt = try row["started_at"]
        endedAt = try row["ended_at"]
        seconds = try row["seconds"]
        sessionState = try row["session_state"]
        state = try row["interval_state"]
        sessionSource = try row["session_source"]
        source = try row["source"]
        subject = try row["subject"]
        task = try row["task"]
        note = try row["note"]
        timeZone = try row["time_zone"]
        dayStartsAt = try row["day_starts_at"]
        recordedAt = try row["recorded_at"]
    }
}
