import API
import Foundation
import HTTP
import Postgres
import Time

/// Recorded study in the database.
struct SessionStore: Sendable {
    let database: Database

    /// Records all of a draft or nothing, in one round trip, and answers the session as JSON; a draft whose id was
    /// recorded before changes nothing. Throws `session_retracted` if that one was taken back since.
    func record(_ draft: SessionDraft, of uid: ID) async throws -> [UInt8] {
        let rows = try await Refusal.study.mapOverlaps(renaming: draft.timeFields.names) {
            try await database.write([
                """
                SELECT record_session(\(uid), \(draft.id),
                  \(draft.stretches.map(\.startedAt)), \(draft.stretches.map(\.endedAt)), \(draft.source.rawValue),
                  \(draft.subjectID), \(draft.taskID), \(draft.note))
                """,
                "SELECT session_json(s) AS session FROM session_details(\(uid), \(draft.id)) s",
            ])
        }
        guard let row = rows[1].first else { throw Refusal.study.sessionRetracted }
        return try row.json("session")
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

    /// Changes a session and answers its JSON, all or nothing and in one round trip.
    func change(_ id: ID, _ change: SessionChange, of uid: ID) async throws -> [UInt8] {
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
        queries.append("SELECT session_json(s) AS session FROM session_details(\(uid), \(id)) s")
        let all = queries
        let rows = try await Refusal.study.mapOverlaps(renaming: change.timeFields.names) {
            try await database.write(all)
        }
        guard let row = rows.last?.first else { throw Refusal.study.sessionNotFound }
        return try row.json("session")
    }

    /// The sessions with time on these study days, today's when none are named; the newest first.
    func all(of uid: ID, from: Day?, to: Day?, _ paging: Paging) async throws -> Page<JSON> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT s.started_at, s.session_id, session_json(s) AS session FROM (SELECT today_of(\(uid)) AS day) t
            CROSS JOIN LATERAL sessions_between(\(uid), coalesce(\(from), t.day), coalesce(\(to), t.day)) s
            WHERE \(after == nil) OR (s.started_at, s.session_id) < (\(after?.instant), \(after?.id))
            ORDER BY s.started_at DESC, s.session_id DESC LIMIT \(paging.limit + 1)
            """)
        return try Page(rows, paging, by: "started_at", "session_id", item: Self.json)
    }

    /// Those whose timer waits for its end to be confirmed, the newest first.
    func unconfirmed(of uid: ID) async throws -> [JSON] {
        try await database.read("SELECT session_json(s) AS session FROM unconfirmed_sessions(\(uid)) s").map(Self.json)
    }

    /// One session; throws `not_found` if there is none, or if it was taken back.
    func find(_ id: ID, of uid: ID) async throws -> JSON {
        let rows = try await database.read("SELECT session_json(s) AS session FROM session_details(\(uid), \(id)) s")
        guard let row = rows.first else { throw Refusal.study.sessionNotFound }
        return try Self.json(row)
    }

    /// Deletes a session. Its rows stay, with the time at which they were retracted.
    func retract(_ id: ID, of uid: ID) async throws {
        try await Refusal.study.mapConstraints {
            _ = try await database.write("SELECT withdraw_session(\(uid), \(id))")
        }
    }

    /// Says when a timer really stopped, or with `pauses` when it was paused.
    func confirm(_ id: ID, of uid: ID, endedAt: Instant, pauses: Bool) async throws {
        try await Refusal.study.mapConstraints {
            _ = try await database.write("SELECT confirm_session(\(uid), \(id), \(endedAt), \(pauses))")
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

    private static func json(_ row: Row) throws -> JSON {
        guard let json = JSON(text: try row.json("session")) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "session_json wrote no JSON"))
        }
        return json
    }
}
