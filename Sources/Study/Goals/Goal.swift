import API
import Foundation
import HTTP
import Postgres
import Time

/// What somebody wants to study in a week or a month, and how far they are.
package struct PeriodGoal: Sendable, Codable {
    let period: String
    /// A Monday, or the first of a month, of the study clock.
    let firstDay: Day
    let goalSeconds: Int
    /// The running timer included.
    let studySeconds: Int

    private enum CodingKeys: String, CodingKey {
        case period
        case firstDay = "first_day"
        case goalSeconds = "goal_seconds"
        case studySeconds = "study_seconds"
    }
}

/// A date that somebody counts down to.
package struct TargetDate: Sendable, Codable {
    let id: ID
    let title: String
    let day: Day
    /// Study days from today on; negative when the date is over.
    let daysLeft: Int

    private enum CodingKeys: String, CodingKey {
        case id, title, day
        case daysLeft = "days_left"
    }

    /// A trimmed line of 1 to 40 characters; throws `invalid_date_title`.
    static func title(_ text: String) throws -> String {
        guard let title = PlainText.line(text, atMost: 40) else { throw Refusal.goals.invalidTitle }
        return title
    }
}

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
            let made: ID = try row["id"]
            let dates = try await database.write("SELECT dates FROM study_today(\(uid))").one
            return try [TargetDate](text: dates["dates"]).first { $0.id == made }!
        }
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
