import API
import Foundation
import Groups
import HTTP
import Postgres
import Time

/// The board of groups, from the database.
struct GroupsBoardStore: Sendable {
    let database: Database

    /// One page of a month's board; of the month that is now if none is given. Whatever group's mean did not change between
    /// two pages is neither skipped nor repeated, and the cursor keeps the month. Throws `invalid_cursor` and
    /// `future_period`.
    func board(in asked: Day?, for reader: ID, _ paging: Paging) async throws -> GroupsBoard {
        // Means are ordered as seconds are, groups as people are.
        let cursor = try GlobalBoardStore.Cursor(paging)
        let month = asked ?? cursor?.month
        // All are asked for at once and travel together.
        async let heading = BoardFrame(ofEveryoneIn: month, in: database)
        async let round = database.read("SELECT least(as_of, anthill_clock()) AS as_of FROM group_means_round")
        async let rows = database.read(
            """
            SELECT section, rank, group_id, name, emoji, colour, member_count, mean_seconds, mine, gap_to_next_seconds,
              more, time_zone, day_starts_at, daily_cap_seconds, manual_counts
            FROM groups_board(\(reader), \(month), \(cursor?.seconds), \(cursor?.uid), \(paging.limit))
            """)
        let frame = try await heading
        let top = try await rows.filter { try $0["section"] == "top" }
        let entries = try top.map(Self.entry)
        let goesOn = try top.last.map { try $0["more"] as Bool } ?? false
        return GroupsBoard(
            at: frame.firstDay.monthText,
            studyClock: .init(timeZone: frame.rules.timeZone, dayStartsAt: frame.rules.dayStartsAt),
            asOf: try await round[0]["as_of"], entries: entries,
            mine: try await rows.filter { try $0["section"] == "mine" }.map { row in
                GroupsBoard.Own(entry: try Self.entry(row), gapToNextSeconds: try row["gap_to_next_seconds"])
            },
            next: entries.last.flatMap { last in
                goesOn
                    ? GlobalBoardStore.Cursor(month: frame.firstDay, seconds: last.meanSeconds, uid: last.group.id).text
                    : nil
            })
    }

    private static func entry(_ row: Row) throws -> GroupsBoard.Entry {
        GroupsBoard.Entry(
            rank: try row["rank"],
            group: GroupsBoard.Group(
                id: try row["group_id"], name: try row["name"], colour: try row["colour"], emoji: try row["emoji"]),
            rules: try Rules(row), memberCount: try row["member_count"], meanSeconds: try row["mean_seconds"],
            mine: try row["mine"])
    }
}
