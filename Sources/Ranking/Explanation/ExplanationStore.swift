import API
import Foundation
import Groups
import Postgres
import Time

/// What numbers are made of, from the database.
struct ExplanationStore: Sendable {
    let database: Database

    /// Explains the reader's own number, or as an admin that of `whose`. Throws `not_found`, `not_allowed` and
    /// `future_period`.
    func explanation(
        of group: ID, _ period: Period, for reader: ID, whose: ID?
    ) async throws -> Explanation {
        async let frame = BoardFrame(of: group, period.length, period.firstDay, in: database)
        async let rows = Refusal.ranking.mapConstraints {
            try await database.read(
                """
                SELECT * FROM board_explanation(\(reader), \(group), \(period.length.rawValue), \(period.firstDay),
                  \(whose))
                """)
        }
        let heading = try await frame
        return try Explanation(heading, Leaderboard.Group(id: group, name: heading.name), period.length, await rows)
    }

    /// Explains the reader's own number on the global board. Throws `future_period`.
    func explanation(ofEveryoneIn period: Period, for reader: ID) async throws -> Explanation {
        async let frame = BoardFrame(ofEveryoneIn: period, in: database)
        async let rows = database.read(
            "SELECT * FROM global_explanation(\(reader), \(period.length.rawValue), \(period.firstDay))")
        return try await Explanation(frame, nil, period.length, rows)
    }
}

extension Explanation {
    /// From one row per day, or one without a day; throws `not_found` without rows.
    fileprivate init(
        _ heading: BoardFrame, _ group: Leaderboard.Group?, _ length: Period.Length, _ lines: Rows
    ) throws {
        guard let first = lines.first else { throw Refusal.ranking.groupNotFound }
        let days = try lines.compactMap(Day.init)
        let seconds: Int = try first["seconds"]
        self.init(
            group: group, period: length, at: length.name(heading.firstDay), rules: heading.rules,
            startsAt: heading.startsAt, endsAt: heading.endsAt, clockChanges: heading.clockChanges,
            state: heading.state, asOf: try first["as_of"], uid: try first["uid"],
            nickname: try first["nickname"], rank: try first["rank"], seconds: seconds,
            manualSeconds: try first["manual_seconds"], cutByCap: days.reduce(0) { $0 + $1.cutByCap },
            notCountedSeconds: days.reduce(0) { $0 + $1.notCountedSeconds },
            amendedSeconds: seconds - days.reduce(0) { $0 + $1.countedSeconds }, days: days)
    }
}

extension Explanation.Day {
    /// Nil for the row of somebody who has no day.
    fileprivate init?(_ row: Row) throws {
        guard let day: Day = try row["day"] else { return nil }
        let parts: String = try row["parts"]
        self.init(
            day: day, startsAt: try row["day_starts_at"], endsAt: try row["day_ends_at"],
            seconds: try row["day_seconds"], manualSeconds: try row["day_manual_seconds"],
            countedSeconds: try row["counted_seconds"], cutByCap: try row["cut_by_cap"],
            notCountedSeconds: try row["not_counted_seconds"],
            parts: try JSONDecoder().decode([Explanation.Part].self, from: Data(parts.utf8)))
    }
}

extension Explanation.Part: Decodable {
    private enum Column: String, CodingKey {
        case intervalID = "interval_id"
        case sessionID = "session_id"
        case startedAt = "started_at"
        case endedAt = "ended_at"
        case source, seconds
    }

    /// As the schema writes a part.
    package init(from decoder: any Decoder) throws {
        let columns = try decoder.container(keyedBy: Column.self)
        intervalID = try columns.decode(ID.self, forKey: .intervalID)
        sessionID = try columns.decode(ID.self, forKey: .sessionID)
        startedAt = try columns.decode(Instant.self, forKey: .startedAt)
        source = try columns.decode(String.self, forKey: .source)
        seconds = try columns.decode(Int.self, forKey: .seconds)
        endedAt = try columns.decodeIfPresent(Instant.self, forKey: .endedAt)
    }
}
