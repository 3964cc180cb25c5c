import Foundation
import HTTP
import Postgres

/// Recorded study in the database.
struct SessionStore: Sendable {
    let database: Database

    /// Records all of a draft or nothing, in one round trip, and answers the session; a draft whose id was recorded
    /// before changes nothing. Throws `session_retracted` if that one was taken back since.
    func record(_ draft: SessionDraft, of uid: UUID) async throws -> Session {
        let rows = try await StudyError.naming(isList: draft.isList) {
            try await database.write([
                """
                SELECT record_session(\(uid), \(draft.id),
                  \(draft.stretches.map(\.startedAt)), \(draft.stretches.map(\.endedAt)), \(draft.source.rawValue),
                  \(draft.subjectID), \(draft.taskID), \(draft.note))
                """,
                "SELECT * FROM session_details(\(uid), \(draft.id))",
            ])
        }
        guard let row = rows[1].first else { throw StudyError.sessionRetracted }
        return try Self.session(row)
    }

    /// The first recorded stretch that shares time with one of these, on its owner's wall clock.
    func overlap(of stretches: [Stretch], by uid: UUID) async throws -> Overlap? {
        let rows = try await database.read(
            """
            SELECT i.started_at, i.ended_at, to_char(i.started_at AT TIME ZONE u.time_zone, 'HH24:MI'),
              to_char(i.ended_at AT TIME ZONE u.time_zone, 'HH24:MI')
            FROM users u
            JOIN study_intervals i ON i.uid = u.uid AND i.retracted_at IS NULL
            JOIN unnest(\(stretches.map(\.startedAt))::timestamptz[], \(stretches.map(\.endedAt))::timestamptz[])
              wanted (started_at, ended_at)
              ON tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
                && tstzrange(wanted.started_at, greatest(wanted.started_at, wanted.ended_at))
            WHERE u.uid = \(uid) ORDER BY i.started_at LIMIT 1
            """)
        guard let row = rows.first else { return nil }
        let (startedAt, endedAt, from, to) = try row.decode(Instant.self, Instant?.self, String.self, String?.self)
        return Overlap(with: Stretch(startedAt: startedAt, endedAt: endedAt), from: from, to: to)
    }

    /// The sessions with time on these study days, today's when none are named; the newest first.
    func all(of uid: UUID, from: Day?, to: Day?, _ paging: Paging) async throws -> Page<Session> {
        let after = try Self.cursor(paging)
        let rows = try await database.read(
            """
            SELECT s.* FROM (SELECT today_of(\(uid)) AS day) t
            CROSS JOIN LATERAL sessions_between(\(uid), coalesce(\(from), t.day), coalesce(\(to), t.day)) s
            WHERE \(after == nil) OR (s.started_at, s.session_id) < (\(after?.startedAt), \(after?.id))
            ORDER BY s.started_at DESC, s.session_id DESC LIMIT \(paging.limit + 1)
            """)
        let sessions = try rows.prefix(paging.limit).map(Self.session)
        let next = rows.count > paging.limit ? sessions.last.map { Paging.cursor($0.startedAt, $0.id) } : nil
        return Page(items: sessions, next: next)
    }

    /// One session; throws `not_found` if there is none, or if it was taken back.
    func find(_ id: UUID, of uid: UUID) async throws -> Session {
        let rows = try await database.read("SELECT * FROM session_details(\(uid), \(id))")
        guard let row = rows.first else { throw StudyError.sessionNotFound }
        return try Self.session(row)
    }

    /// Takes a session back; its rows remain with the instant at which they ceased to count.
    func retract(_ id: UUID, of uid: UUID) async throws {
        try await StudyError.naming { _ = try await database.write("SELECT retract_session(\(uid), \(id))") }
    }

    /// Says when a timer that passed 12 h really stopped.
    func confirm(_ id: UUID, of uid: UUID, endedAt: Instant) async throws {
        try await StudyError.naming {
            _ = try await database.write("SELECT confirm_session(\(uid), \(id), \(endedAt))")
        }
    }

    private static func cursor(_ paging: Paging) throws -> (startedAt: Instant, id: UUID)? {
        guard let after = paging.after else { return nil }
        guard after.count == 2, let startedAt = Instant(after[0]), let id = UUID(uuidString: after[1]) else {
            throw Paging.invalidCursor
        }
        return (startedAt, id)
    }

    private static func session(_ row: Row) throws -> Session {
        let intervals: String = try row["intervals"]
        let plan: String? = try row["plan"]
        return Session(
            id: try row["session_id"], state: try row["state"], source: try row["source"],
            subjectID: try row["subject_id"], taskID: try row["task_id"], goalSeconds: try row["goal_seconds"],
            plan: plan.flatMap { JSON(text: Array($0.utf8)) }, note: try row["note"], startedAt: try row["started_at"],
            endedAt: try row["ended_at"], seconds: try row["seconds"],
            intervals: try JSONDecoder().decode([Session.Interval].self, from: Data(intervals.utf8)),
            createdAt: try row["created_at"])
    }
}

extension Session.Interval: Decodable {
    private enum Column: String, CodingKey {
        case id = "interval_id"
        case startedAt = "started_at"
        case endedAt = "ended_at"
        case seconds, source, unconfirmed
        case recordedAt = "recorded_at"
    }

    /// As the schema's functions write an interval.
    package init(from decoder: any Decoder) throws {
        let columns = try decoder.container(keyedBy: Column.self)
        id = try columns.decode(UUID.self, forKey: .id)
        startedAt = try columns.decode(Instant.self, forKey: .startedAt)
        endedAt = try columns.decodeIfPresent(Instant.self, forKey: .endedAt)
        seconds = try columns.decode(Int.self, forKey: .seconds)
        source = try columns.decode(Source.self, forKey: .source)
        unconfirmed = try columns.decode(Bool.self, forKey: .unconfirmed)
        recordedAt = try columns.decode(Instant.self, forKey: .recordedAt)
    }
}
