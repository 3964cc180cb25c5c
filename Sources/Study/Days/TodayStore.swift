import API
import Postgres
import Time

/// The study day under way, from the database.
struct TodayStore: Sendable {
    let database: Database

    func today(of uid: ID) async throws -> Today {
        try Today(await database.read("SELECT * FROM study_today(\(uid))").one)
    }

    /// Notes that a day's perfect ant has been shown; today's when no day is named.
    func announcePerfect(_ day: Day?, to uid: ID) async throws {
        try await Refusal.days.mapConstraints {
            _ = try await database.write("SELECT announce_perfect(\(uid), \(day))")
        }
    }
}
