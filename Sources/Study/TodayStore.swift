import Foundation
import Postgres

/// The study day under way, from the database.
struct TodayStore: Sendable {
    let database: Database

    func today(of uid: UUID) async throws -> Today {
        let rows = try await database.read(
            """
            SELECT day, starts_at, ends_at, study_seconds, live_seconds, goal_seconds, yesterday_seconds, total_seconds,
              server_time
            FROM study_today(\(uid))
            """)
        let (day, startsAt, endsAt, study, live, goal, yesterday, total, now) = try rows[0].decode(
            Day.self, Instant.self, Instant.self, Int.self, Int.self, Int.self, Int.self, Int.self, Instant.self)
        return Today(
            day: day, startsAt: startsAt, endsAt: endsAt, studySeconds: study, liveSeconds: live, goalSeconds: goal,
            yesterdaySeconds: yesterday, totalSeconds: total, serverTime: now)
    }
}
