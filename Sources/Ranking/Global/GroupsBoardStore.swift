import API
import Accounts
import Groups
import HTTP
import Postgres
import Time

/// The board of groups. Its top is read again each second, and as soon as a group of the reader's has changed.
struct GroupsBoardStore: Sendable {
    private let database: Database
    private let tops: Kept<GlobalBoardStore.TopKey, GroupsPage>

    init(database: Database, changes: ChangeFeed) {
        self.database = database
        tops = Kept(changes, most: 10_000)
    }

    /// One page of a month's board; of the current month by default. A group whose mean did not change between two
    /// pages is neither skipped nor repeated, and the cursor keeps the month. Throws `invalid_cursor` and
    /// `future_period`.
    func board(in month: Day?, for caller: Caller, _ paging: Paging) async throws -> GroupsBoard {
        // Means are ordered as seconds are, groups as people are.
        if let cursor = try GlobalBoardStore.Cursor(paging) {
            let asked = try Period(length: .month, firstDay: month).of(cursor: cursor.length, cursor.firstDay)
            return GroupsBoard(
                try await page(asked.firstDay, below: cursor, limit: paging.limit, for: caller.uid), mine: [])
        }
        let mine = try await rows(month, limit: 0, for: caller.uid).map { row in
            GroupsBoard.Own(entry: try GroupsBoard.Entry(row), gapToNextSeconds: try row["gap_to_next_seconds"])
        }
        let own = Set(mine.map(\.entry.group.id))
        let top = try await tops.value(
            .init(period: Period(length: .month, firstDay: month), limit: paging.limit), at: caller.position, own: own
        ) { try await page(month, below: nil, limit: paging.limit, for: nil) }
        return GroupsBoard(top.seen(by: own), mine: mine)
    }

    private func page(
        _ month: Day?, below cursor: GlobalBoardStore.Cursor?, limit: Int, for reader: ID?
    ) async throws -> GroupsPage {
        // All are asked for at once and travel together.
        async let frame = BoardFrame(ofEveryoneIn: Period(length: .month, firstDay: month), in: database)
        async let round = database.read("SELECT least(as_of, anthill_clock()) AS as_of FROM group_means_round")
        async let groups = rows(month, below: cursor, limit: limit, for: reader)
        return try await GroupsPage(frame, asOf: round[0]["as_of"], groups)
    }

    /// The groups below the cursor; without one, those at the top and then the reader's own.
    private func rows(
        _ month: Day?, below cursor: GlobalBoardStore.Cursor? = nil, limit: Int, for reader: ID?
    ) async throws -> Rows {
        try await database.read(
            """
            SELECT section, rank, group_id, name, emoji, colour, member_count, mean_seconds, mine, gap_to_next_seconds,
              more, time_zone, day_starts_at, daily_cap_seconds, manual_counts
            FROM groups_board(\(reader), \(month), \(cursor?.seconds), \(cursor?.uid), \(limit))
            """)
    }
}

/// One page of the board of groups.
struct GroupsPage: Keepable {
    let frame: BoardFrame
    /// When the means were last counted.
    let asOf: Instant?
    var entries: [GroupsBoard.Entry]
    /// The cursor of the next page.
    let next: String?

    init(_ frame: BoardFrame, asOf: Instant?, _ rows: Rows) throws {
        self.frame = frame
        self.asOf = asOf
        entries = try rows.map { try GroupsBoard.Entry($0) }
        let goesOn = try rows.last.map { try $0["more"] as Bool } ?? false
        next = entries.last.flatMap { last in
            goesOn
                ? GlobalBoardStore.Cursor(
                    length: .month, firstDay: frame.firstDay, seconds: last.meanSeconds, uid: last.group.id
                ).text
                : nil
        }
    }

    /// The same page for a reader who is in these groups.
    func seen(by own: Set<ID>) -> GroupsPage {
        var page = self
        for index in entries.indices { page.entries[index].mine = own.contains(entries[index].group.id) }
        return page
    }

    func holds(at time: Instant) -> Bool { frame.now >= time }
    func isConcerned(by news: ChangeFeed.News) -> Bool { entries.contains { news.contains($0.group.id) } }
    var size: Int { entries.count + 1 }
}

extension GroupsBoard {
    fileprivate init(_ page: GroupsPage, mine: [Own]) {
        let frame = page.frame
        self.init(
            at: frame.firstDay.monthText,
            studyClock: .init(timeZone: frame.rules.timeZone, dayStartsAt: frame.rules.dayStartsAt), asOf: page.asOf,
            entries: page.entries, mine: mine, next: page.next)
    }
}

extension GroupsBoard.Entry {
    fileprivate init(_ row: Row) throws {
        self.init(
            rank: try row["rank"],
            group: GroupsBoard.Group(
                id: try row["group_id"], name: try row["name"], colour: try row["colour"], emoji: try row["emoji"]),
            rules: try Rules(row), memberCount: try row["member_count"], meanSeconds: try row["mean_seconds"],
            mine: try row["mine"])
    }
}
