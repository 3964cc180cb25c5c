import API
import Accounts
import Postgres
import Time

/// Boards of groups. Current boards are kept in memory while nothing changes; all others are read from the database.
struct BoardStore: Sendable {
    private let database: Database
    private let boards: Kept<BoardRequest.Key, WholeBoard>
    private let memberships: Kept<Membership, Membership>
    private let past: PastBoards

    /// Keeps at most so many places of all boards in memory. `large`: above so many members a group's past boards are
    /// computed one at a time.
    init(database: Database, changes: ChangeFeed, mostPlaces: Int = 50_000, large: Int = 500) {
        self.database = database
        boards = Kept(changes, most: mostPlaces)
        memberships = Kept(changes, most: 50_000)
        past = PastBoards(database: database, large: large)
    }

    /// How many current boards were computed.
    var loadCount: Int { boards.loadCount }

    /// The page, including all changes up to `position`. Throws `not_found` if the reader is not in the group,
    /// `future_period`, `future_instant`, `instant_before_period` and `too_many_past_boards`.
    func page(_ request: BoardRequest, at position: ChangeFeed.Position) async throws -> BoardPage {
        let membership = Membership(uid: request.reader, group: request.group)
        _ = try await memberships.value(membership, at: position) { try await find(membership) }
        return BoardPage(request: request, whole: try await whole(request, at: position))
    }

    /// The whole board that the page is cut out of, for those who may see it.
    func whole(_ request: BoardRequest, at position: ChangeFeed.Position) async throws -> WholeBoard {
        let key = request.key
        guard let knownAt = request.knownAt else {
            // What a replica answers is not kept: it may lag behind the feed.
            if Database.reading != nil { return try await load(key) }
            return try await boards.value(key, at: position) { try await load(key) }
        }
        return try await past.compute(of: key.group) { try await load(key, knownAt: knownAt) }
    }

    /// The board from the database.
    func load(_ key: BoardRequest.Key, knownAt: Instant? = nil) async throws -> WholeBoard {
        let rows = try await Refusal.ranking.mapConstraints {
            try await database.read(
                """
                SELECT rank, score, visibility, uid, nickname, avatar, seconds, manual_seconds, studying, change,
                  goal_permille, days_met, name, first_day, starts_at, ends_at, state, server_time, time_zone, day_starts_at,
                  daily_cap_seconds, manual_counts, clock_changes, as_of, days
                FROM board(\(key.group), \(key.length.rawValue), \(key.firstDay), \(key.instant), \(knownAt),
                  \(key.order.rawValue))
                """)
        }
        return try WholeBoard(of: key.group, rows)
    }

    // MARK: Members

    private struct Membership: Keepable, Hashable {
        let uid: ID
        let group: ID
        let size = 1

        func holds(at time: Instant) -> Bool { true }
        func isConcerned(by news: ChangeFeed.News) -> Bool { news.contains(group) }
    }

    private func find(_ membership: Membership) async throws -> Membership {
        let rows = try await database.read(
            "SELECT FROM group_members WHERE uid = \(membership.uid) AND group_id = \(membership.group)")
        guard !rows.isEmpty else { throw Refusal.ranking.groupNotFound }
        return membership
    }
}
