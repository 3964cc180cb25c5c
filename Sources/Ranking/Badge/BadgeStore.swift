import API
import HTTP
import Postgres

/// Badges from the database. Anybody may ask for one as often as they like, so a group's figures are added up at most
/// once in ten seconds, by the first request. What the group is called and whether it allows a badge is always asked.
package final class BadgeStore: Sendable {
    private let database: Database
    private let figures: Remembered<Badge.Figures>

    /// `life` is how long figures are remembered.
    package init(database: Database, remembering life: Duration = .seconds(10)) {
        self.database = database
        figures = Remembered(for: life, most: 10_000)
    }

    /// The badge of a group; throws `not_found` where there is none or the group does not allow it.
    func badge(of group: ID) async throws -> Badge {
        let rows = try await Database.reading(from: nil) {
            try await database.read(
                """
                SELECT name, colour, emoji, month_goal_seconds FROM groups WHERE group_id = \(group) AND badge_allowed
                """)
        }
        guard let row = rows.first else { throw Refusal.ranking.groupNotFound }
        return Badge(
            name: try row["name"], colour: try row["colour"], emoji: try row["emoji"],
            monthGoalSeconds: try row["month_goal_seconds"],
            figures: try await figures.value(of: group) { try await self.count(group) })
    }

    private func count(_ group: ID) async throws -> Badge.Figures {
        let rows = try await database.read(
            """
            SELECT month, seconds, member_count, studying FROM badge_figures(\(group))
            """)
        guard let row = rows.first else { throw Refusal.ranking.groupNotFound }
        return Badge.Figures(
            month: try row["month"], seconds: try row["seconds"], memberCount: try row["member_count"],
            studying: try row["studying"])
    }
}
