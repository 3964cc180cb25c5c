import API
import HTTP
import Postgres
import Time

/// The board of a group's month as anybody may read it: without UIDs and pictures, and without who is studying.
struct PublicBoard: Sendable, Encodable {
    struct Entry: Sendable, Encodable {
        let rank: Int
        let hidden: Bool
        /// nil for somebody hidden, as are the seconds.
        @OrNull var nickname: String?
        @OrNull var seconds: Int?
    }

    let group: Leaderboard.Group
    /// Such as `2026-11`.
    let month: String
    let asOf: Instant
    /// Everybody who is ranked.
    let participants: Int
    /// The first of them.
    let entries: [Entry]
}

/// The boards of groups that allow it, for strangers. Whether a group allows it is always asked.
package final class PublicBoards: Sendable {
    private let database: Database
    private let boards: BoardStore
    private let known: Remembered<PublicBoard>

    /// At most this many entries are shown.
    static let mostEntries = 50

    /// `life` is how long a board is remembered.
    init(database: Database, boards: BoardStore, remembering life: Duration = .seconds(10)) {
        self.database = database
        self.boards = boards
        known = Remembered(for: life, most: 1000)
    }

    /// Throws `not_found` where there is no such group, or it does not allow that.
    func board(of group: ID) async throws -> PublicBoard {
        let rows = try await Database.reading(from: nil) {
            try await database.read("SELECT FROM groups WHERE group_id = \(group) AND board_public")
        }
        guard !rows.isEmpty else { throw Refusal.ranking.groupNotFound }
        return try await known.value(of: group) { [boards] in try await Self.board(of: group, in: boards) }
    }

    private static func board(of group: ID, in boards: BoardStore) async throws -> PublicBoard {
        let whole = try await boards.load(
            .init(group: group, order: .seconds, length: .month, firstDay: nil, instant: nil))
        let entries = whole.entries(for: nil).prefix(mostEntries).map { entry in
            PublicBoard.Entry(
                rank: entry.rank, hidden: entry.member == nil, nickname: entry.member?.nickname,
                seconds: entry.member?.seconds)
        }
        return PublicBoard(
            group: whole.group, month: whole.frame.firstDay.monthText, asOf: whole.asOf, participants: whole.count,
            entries: entries)
    }
}
