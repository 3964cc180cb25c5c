import API
import HTTP
import Postgres
import Reactor
import Synchronization

/// Badges from the database. Anybody may ask for one as often as they like, so a group's figures are added up at most
/// once in ten seconds, by the first request. What the group is called and whether it allows a badge is always asked.
package final class BadgeStore: Sendable {
    private struct Known {
        let figures: Task<Badge.Figures, any Error>
        let askedAt: ContinuousClock.Instant
    }

    private let database: Database
    private let life: Duration
    private let known = Mutex<[ID: Known]>([:])

    /// Of so many groups at most the figures are remembered.
    static let most = 10_000

    /// `life` is how long figures are remembered.
    package init(database: Database, remembering life: Duration = .seconds(10)) {
        self.database = database
        self.life = life
    }

    /// The badge of a group; throws `not_found` where there is none or the group does not allow it.
    func badge(of group: ID) async throws -> Badge {
        let rows = try await database.read(
            """
            SELECT name, colour, emoji, month_goal_seconds FROM groups WHERE group_id = \(group) AND badge_allowed
            """)
        guard let row = rows.first else { throw Refusal.ranking.groupNotFound }
        return Badge(
            name: try row["name"], colour: try row["colour"], emoji: try row["emoji"],
            monthGoalSeconds: try row["month_goal_seconds"], figures: try await figures(of: group))
    }

    private func figures(of group: ID) async throws -> Badge.Figures {
        let (now, loop) = (ContinuousClock.now, EventLoop.current)
        let figures = known.withLock { known in
            if let found = known[group], now - found.askedAt < life { return found.figures }
            if known.count >= Self.most { known = known.filter { now - $0.value.askedAt < life } }
            if known.count >= Self.most { known = [:] }
            let figures = Task(executorPreference: loop) { try await self.count(group) }
            known[group] = Known(figures: figures, askedAt: now)
            return figures
        }
        do {
            return try await figures.value
        } catch {
            known.withLock { known in if known[group]?.figures == figures { known[group] = nil } }
            throw error
        }
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
