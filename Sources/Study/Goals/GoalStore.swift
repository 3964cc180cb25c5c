import API
import Foundation
import Postgres
import Time

/// Goals and dates in the database.
struct GoalStore: Sendable {
    let database: Database

    /// Sets both goals; nil and 0 are none.
    func set(week: Int?, month: Int?, of uid: ID) async throws -> [PeriodGoal] {
        try await Refusal.goals.mapConstraints {
            let rows = try await database.write([
                "SELECT set_period_goals(\(uid), \(week), \(month))", "SELECT goals FROM study_today(\(uid))",
            ])
            return try [PeriodGoal](text: rows.last!.one["goals"])
        }
    }

    func add(_ title: String, on day: Day, of uid: ID) async throws -> TargetDate {
        try await Refusal.goals.mapConstraints {
            let row = try await database.write("SELECT add_target_date(\(uid), \(title), \(day)) AS id").one
            return try await date(row["id"], of: uid)
        }
    }

    /// Changes what is not nil.
    func change(_ id: ID, title: String?, day: Day?, of uid: ID) async throws -> TargetDate {
        try await Refusal.goals.mapConstraints {
            let changed = try await database.write(
                """
                UPDATE target_dates SET title = coalesce(\(title), title), day = coalesce(\(day), day)
                WHERE uid = \(uid) AND id = \(id)
                """)
            guard changed.affected == 1 else { throw Refusal.goals.dateNotFound }
            return try await date(id, of: uid)
        }
    }

    private func date(_ id: ID, of uid: ID) async throws -> TargetDate {
        let today = try await database.write("SELECT dates FROM study_today(\(uid))").one
        guard let date = try [TargetDate](text: today["dates"]).first(where: { $0.id == id }) else {
            throw Refusal.goals.dateNotFound
        }
        return date
    }

    func remove(_ id: ID, of uid: ID) async throws {
        let gone = try await database.write("DELETE FROM target_dates WHERE uid = \(uid) AND id = \(id)")
        guard gone.affected == 1 else { throw Refusal.goals.dateNotFound }
    }
}

extension Array where Element: Decodable {
    /// As `study_today` writes them.
    init(text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
}
