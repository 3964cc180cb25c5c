import API
import Accounts
import Groups
import Postgres
import Time

/// Groups' rooms: from memory while nothing in them has changed, and each reader's own cheers from the database.
struct RoomStore: Sendable {
    private let database: Database
    private let rooms: Kept<ID, WholeRoom>
    private let months: Kept<GroupMonth.Key, GroupMonth>

    /// Keeps at most so many places of all rooms in memory.
    init(database: Database, changes: ChangeFeed, mostPlaces: Int = 50_000) {
        self.database = database
        rooms = Kept(changes, most: mostPlaces)
        months = Kept(changes, most: mostPlaces)
    }

    /// The room of today with every change up to that position. Throws `not_found` if the reader is not in the group.
    func room(of group: ID, for reader: ID, limit: Int, at position: ChangeFeed.Position) async throws -> Room {
        async let whole = rooms.value(group, at: position) { try await load(group) }
        let rows = try await database.read(
            "SELECT given, received, givers, names FROM own_cheers(\(reader), \(group))")
        guard let row = rows.first else { throw Refusal.ranking.groupNotFound }
        let given: [ID] = try row["given"]
        let from = zip(try row["givers", as: [ID].self], try row["names", as: [String].self])
        let cheers = OwnCheers(
            left: max(0, RuleNumber.mostCheersADay.value - given.count), received: try row["received"],
            from: from.map { NamedUser(uid: $0, nickname: $1) })
        return try await whole.room(for: reader, cheers: cheers, given: Set(given), limit: limit)
    }

    private func load(_ group: ID) async throws -> WholeRoom {
        async let notice = database.read(
            """
            SELECT n.words, n.uid, u.nickname, n.written_at
            FROM group_notices n LEFT JOIN users u USING (uid) WHERE n.group_id = \(group)
            """)
        async let cycle = database.read("SELECT * FROM group_cycle(\(group))")
        let rows = try await database.read("SELECT * FROM group_today(\(group))")
        return try await WholeRoom(
            of: group, rows, notice: notice.first.map(GroupNotice.init), cycle: cycle.first.map(GroupCycle.init))
    }

    /// A month of the group, day by day; by default the current one. Throws `not_found` if the reader is not in the group, and
    /// `future_period`.
    func month(_ month: Day?, of group: ID, for reader: ID, at position: ChangeFeed.Position) async throws -> GroupMonth
    {
        let key = GroupMonth.Key(group: group, month: month)
        async let whole = months.value(key, at: position) {
            try await Refusal.ranking.mapConstraints {
                try GroupMonth(of: group, await database.read("SELECT * FROM group_days(\(group), \(month))"))
            }
        }
        let rows = try await database.read(
            "SELECT FROM group_members WHERE uid = \(reader) AND group_id = \(group)")
        guard !rows.isEmpty else { throw Refusal.ranking.groupNotFound }
        return try await whole
    }
}

extension GroupNotice {
    fileprivate init(_ row: Row) throws {
        self.init(
            text: try row["words"], writtenBy: try NamedUser(row, "uid", "nickname"), writtenAt: try row["written_at"])
    }
}

extension GroupCycle {
    fileprivate init(_ row: Row) throws {
        self.init(
            studyMinutes: try row["study_minutes"], restMinutes: try row["rest_minutes"], minute: try row["minute"],
            resting: try row["resting"], endsAt: try row["ends_at"])
    }
}
