import API
import Groups
import HTTP
import Postgres
import Time

/// The board of everyone who opted in, from the database.
struct GlobalBoardStore: Sendable {
    let database: Database

    /// One page of a month's board; of the month that is now if none is given. Its totals are those of the page's own
    /// instant: whoever's did not change is neither skipped nor repeated, and the cursor keeps the month. Throws
    /// `invalid_cursor` and `future_period`.
    func board(in asked: Day?, for reader: ID, _ paging: Paging) async throws -> Leaderboard {
        let cursor = try Cursor(paging)
        let month = asked ?? cursor?.month
        // Both are asked for at once and travel together.
        async let frame = BoardFrame(ofEveryoneIn: month, in: database)
        async let rows = database.read(
            """
            SELECT section, rank, uid, nickname, seconds, manual_seconds, studying, change, participants,
              gap_to_next_seconds, more
            FROM global_board(\(reader), \(month), \(cursor?.seconds), \(cursor?.uid), \(paging.limit))
            """)
        let heading = try await frame
        return try await Leaderboard(heading, rows.map(Place.init)) {
            Cursor(month: heading.firstDay, seconds: $0.seconds, uid: $0.uid!).text
        }
    }

    /// Where the next page goes on: below this place of this month.
    struct Cursor {
        let month: Day
        let seconds: Int
        let uid: ID
    }
}

extension GlobalBoardStore.Cursor {
    init?(_ paging: Paging) throws {
        guard let after = paging.after else { return nil }
        guard after.count == 3, let month = Day(month: after[0]), let seconds = Int(after[1]),
            let uid = ID(after[2])
        else { throw Paging.invalidCursor }
        self.init(month: month, seconds: seconds, uid: uid)
    }

    var text: String { Paging.cursor(month.monthText, seconds, uid) }
}
