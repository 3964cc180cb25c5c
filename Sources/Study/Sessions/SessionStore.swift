import API
import Foundation
import HTTP
import Postgres
import Time

/// Recorded study in the database.
struct SessionStore: Sendable {
    let database: Database

    /// Records all of a draft or nothing, in one round trip, and answers the session; a draft whose id was recorded
    /// before changes nothing. Throws `session_retracted` if that one was taken back since.
    func record(_ draft: SessionDraft, of uid: ID) async throws -> Session {
        let rows = try await Refusal.study.mapOverlaps(renaming: draft.timeFields.names) {
            try await database.write([
                """
                SELECT record_session(\(uid), \(draft.id),
                  \(draft.stretches.map(\.startedAt)), \(draft.stretches.map(\.endedAt)), \(draft.source.rawValue),
                  \(draft.subjectID), \(draft.taskID), \(draft.note))
                """,
                "SELECT * FROM session_details(\(uid), \(draft.id))",
            ])
        }
        guard let row = rows[1].first else { throw Refusal.study.sessionRetracted }
        return try Self.session(row)
    }

    /// Records each of these or refuses it, all in one round trip; the answers are in their order.
    func record(_ drafts: [SessionDraft], of uid: ID) async throws -> [Result<Recording, Refusal>] {
        let sessions = String(decoding: try JSON.bytes(JSON.array(drafts.map(\.json))), as: UTF8.self)
        let rows = try await Refusal.study.mapConstraints {
            try await database.write("SELECT * FROM record_sessions(\(uid), \(sessions))")
        }
        let meanings = Refusal.study.byConstraint
        return try zip(rows, drafts).map { row, draft in
            guard let constraint: String = try row["refused_by"] else {
                return .success(try row["created"] ? .new : .before)
            }
            guard let refusal = meanings[PostgresError.ruleName(constraint)]?.renaming(draft.timeFields.names) else {
                throw PostgresError.refused(by: constraint)
            }
            return .failure(refusal.isOverlap ? Overlap(facts: try row["facts"]).refusal(at: refusal.field) : refusal)
        }
    }

    /// Changes a session and answers it as it is then, all or nothing and in one round trip.
    func change(_ id: ID, _ change: SessionChange, of uid: ID) async throws -> Session {
        var queries: [Query] = []
        switch change.times {
        case .stretches(let stretches):
            queries.append(
                """
                SELECT change_session(\(uid), \(id), \(stretches.map(\.startedAt)), \(stretches.map(\.endedAt)))
                """)
        case .edges(let startedAt, let endedAt):
            queries.append("SELECT move_session(\(uid), \(id), \(startedAt), \(endedAt))")
        case nil: break
        }
        if let description = change.description {
            let changes = String(decoding: try JSON.bytes(description), as: UTF8.self)
            queries.append("SELECT describe_session(\(uid), \(id), \(changes))")
        }
        queries.append("SELECT * FROM session_details(\(uid), \(id))")
        let all = queries
        let rows = try await Refusal.study.mapOverlaps(renaming: change.timeFields.names) {
            try await database.write(all)
        }
        guard let row = rows.last?.first else { throw Refusal.study.sessionNotFound }
        return try Self.session(row)
    }

    /// The sessions with time on these study days, today's when none are named; the newest first.
    func all(of uid: ID, from: Day?, to: Day?, _ paging: Paging) async throws -> Page<Session> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT s.* FROM (SELECT today_of(\(uid)) AS day) t
            CROSS JOIN LATERAL sessions_between(\(uid), coalesce(\(from), t.day), coalesce(\(to), t.day)) s
            WHERE \(after == nil) OR (s.started_at, s.session_id) < (\(after?.instant), \(after?.id))
            ORDER BY s.started_at DESC, s.session_id DESC LIMIT \(paging.limit + 1)
            """)
        return try Page(rows, paging, by: "started_at", "session_id", item: Self.session)
    }

    /// One session; throws `not_found` if there is none, or if it was taken back.
    func find(_ id: ID, of uid: ID) async throws -> Session {
        let rows = try await database.read("SELECT * FROM session_details(\(uid), \(id))")
        guard let row = rows.first else { throw Refusal.study.sessionNotFound }
        return try Self.session(row)
    }

    /// Takes a session back; its rows remain with the instant at which they ceased to count.
    func retract(_ id: ID, of uid: ID) async throws {
        try await Refusal.study.mapConstraints {
            _ = try await database.write("SELECT withdraw_session(\(uid), \(id))")
        }
    }

    /// Says when a timer that passed the longest interval really stopped.
    func confirm(_ id: ID, of uid: ID, endedAt: Instant) async throws {
        try await Refusal.study.mapConstraints {
            _ = try await database.write("SELECT confirm_session(\(uid), \(id), \(endedAt))")
        }
    }

    /// Everything a session ever had, also once it was taken back; throws `not_found` if there never was one.
    func history(_ id: ID, of uid: ID) async throws -> [HistoryEntry] {
        let rows = try await database.read("SELECT * FROM session_history(\(uid), \(id))")
        guard !rows.isEmpty else { throw Refusal.study.sessionNotFound }
        return try rows.compactMap { row in
            guard let interval: ID = try row["interval_id"] else { return nil }
            return HistoryEntry(
                intervalID: interval, startedAt: try row["started_at"], endedAt: try row["ended_at"],
                seconds: try row["seconds"], source: try row["source"], unconfirmed: try row["unconfirmed"],
                recordedAt: try row["recorded_at"], retractedAt: try row["retracted_at"])
        }
    }

    private static func session(_ row: Row) throws -> Session {
        let intervals: String = try row["intervals"]
        let plan: String? = try row["plan"]
        return Session(
            id: try row["session_id"], state: try row["state"], source: try row["source"],
            subjectID: try row["subject_id"], taskID: try row["task_id"], goalSeconds: try row["goal_seconds"],
            plan: plan.flatMap { JSON(text: Array($0.utf8)) }, note: try row["note"], startedAt: try row["started_at"],
            endedAt: try row["ended_at"], seconds: try row["seconds"],
            intervals: try Session.Interval.all(in: intervals),
            createdAt: try row["created_at"])
    }
}

extension Session.Interval {
    /// As the schema's functions write intervals.
    fileprivate static func all(in text: String) throws -> [Session.Interval] {
        guard case .array(let values)? = JSON(text: Array(text.utf8)) else { throw unreadable }
        return try values.map { value in
            guard case .object(let columns) = value, let interval = Session.Interval(columns) else { throw unreadable }
            return interval
        }
    }

    private init?(_ columns: [String: JSON]) {
        func text(_ name: String) -> String? { if case .string(let text)? = columns[name] { text } else { nil } }
        guard let id = text("interval_id").flatMap(ID.init),
            let startedAt = text("started_at").flatMap(Instant.init(rfc3339:)),
            case .integer(let seconds)? = columns["seconds"],
            let source = text("source").flatMap(Source.init(rawValue:)),
            case .bool(let unconfirmed)? = columns["unconfirmed"],
            let recordedAt = text("recorded_at").flatMap(Instant.init(rfc3339:))
        else { return nil }
        self.init(
            id: id, startedAt: startedAt, endedAt: text("ended_at").flatMap(Instant.init(rfc3339:)), seconds: seconds,
            source: source, unconfirmed: unconfirmed, recordedAt: recordedAt)
    }

    private static var unreadable: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "the schema wrote intervals that cannot be read"))
    }
}
