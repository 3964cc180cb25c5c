import API
import Accounts
import Groups
import HTTP
import Postgres
import Time

/// The board of everyone who opted in. Its top and the reader's own place are read again each second, and as soon as the
/// reader has changed something.
struct GlobalBoardStore: Sendable {
    private let database: Database
    private let tops: Kept<TopKey, GlobalPage>
    private let ownPlaces: Kept<OwnKey, OwnPlace>

    init(database: Database, changes: ChangeFeed) {
        self.database = database
        tops = Kept(changes, most: 10_000)
        ownPlaces = Kept(changes, most: 10_000)
    }

    /// One page of a period's board. Its totals are those of the page's own instant: nobody whose total did not change is
    /// skipped or repeated, and the cursor keeps the period. Throws `invalid_cursor` and `future_period`.
    func board(
        in period: Period, for uid: ID, at position: ChangeFeed.Position, _ paging: Paging
    ) async throws -> Leaderboard {
        if let cursor = try Cursor(paging) {
            let asked = try period.of(cursor: cursor.length, cursor.firstDay)
            async let below = page(asked, below: cursor, limit: paging.limit)
            return try await below.board(mine: nil, pictures: takesPart(uid))
        }
        // What a replica answers is not kept: it may lag behind the feed.
        if Database.reading != nil {
            async let top = page(period, below: nil, limit: paging.limit)
            let own = try await ownPlace(of: uid, in: period, at: position)
            return try await top.board(mine: own.mine, pictures: own.takesPart)
        }
        let top = try await tops.value(TopKey(period: period, limit: paging.limit), at: position, own: [uid]) {
            try await page(period, below: nil, limit: paging.limit)
        }
        let own = try await ownPlaces.value(OwnKey(uid: uid, period: period), at: position) {
            try await ownPlace(of: uid, in: period, at: position)
        }
        return top.board(mine: own.mine, pictures: own.takesPart)
    }

    private func ownPlace(
        of uid: ID, in period: Period, at position: ChangeFeed.Position
    ) async throws -> OwnPlace {
        async let places = rows(for: uid, period, limit: 0)
        let takesPart = try await takesPart(uid)
        return try await OwnPlace(
            uid: uid, readAt: position.time, takesPart: takesPart, mine: Leaderboard.Mine(places, pictures: takesPart))
    }

    /// Whether that person takes part now. Participants see each other's pictures.
    private func takesPart(_ uid: ID) async throws -> Bool {
        try await database.read("SELECT belongs_on_global_board(u) FROM users u WHERE uid = \(uid)")
            .first?.decode(Bool.self) ?? false
    }

    private func page(_ period: Period, below cursor: Cursor?, limit: Int) async throws -> GlobalPage {
        // Both are asked for at once and travel together.
        async let frame = BoardFrame(ofEveryoneIn: period, in: database)
        async let places = rows(for: nil, period, below: cursor, limit: limit)
        return try await GlobalPage(frame, period.length, places)
    }

    /// The places below the cursor; without one, those at the top and then the reader's own with its neighbours.
    private func rows(
        for reader: ID?, _ period: Period, below cursor: Cursor? = nil, limit: Int
    ) async throws -> [Place] {
        try await database.read(
            """
            SELECT section, rank, uid, nickname, avatar, seconds, change, participants, gap_to_next_seconds, more
            FROM global_board(\(reader), \(period.length.rawValue), \(period.firstDay), \(cursor?.seconds),
              \(cursor?.uid), \(limit))
            """
        ).map(Place.init)
    }

    // MARK: Keeping

    /// Names the top of a board that is the same for everybody.
    struct TopKey: Hashable {
        let period: Period
        let limit: Int
    }

    private struct OwnKey: Hashable {
        let uid: ID
        let period: Period
    }

    private struct OwnPlace: Keepable {
        let uid: ID
        let readAt: Instant
        /// Whether the reader takes part now.
        let takesPart: Bool
        /// nil for a reader who is not on the board.
        let mine: Leaderboard.Mine?
        let size = 1

        func holds(at time: Instant) -> Bool { readAt >= time }
        func isConcerned(by news: ChangeFeed.News) -> Bool { news.contains(uid) }
    }

    /// Where the next page goes on: below this place of the period that begins on this day.
    struct Cursor {
        let length: Period.Length
        let firstDay: Day
        let seconds: Int
        let uid: ID
    }
}

/// One page of the global board, the same for everybody who takes part, and without pictures for everybody else.
final class GlobalPage: Keepable {
    private let frame: BoardFrame
    private let pictured: Leaderboard
    private let plain: Leaderboard

    init(_ frame: BoardFrame, _ length: Period.Length, _ rows: [Place]) {
        let next = rows.last.flatMap { last in
            last.more
                ? GlobalBoardStore.Cursor(
                    length: length, firstDay: frame.firstDay, seconds: last.member.seconds, uid: last.member.uid!
                ).text
                : nil
        }
        func board(pictures: Bool) -> Leaderboard {
            var board = Leaderboard(
                group: nil, order: .seconds, period: length, at: length.name(frame.firstDay),
                rules: frame.rules, startsAt: frame.startsAt, endsAt: frame.endsAt, state: frame.state,
                asOf: frame.now, participants: rows.first?.participants ?? 0, days: nil,
                entries: rows.map { .member($0.member(pictures: pictures)) }, next: next)
            board.sharedText = SharedText(board.shared)
            return board
        }
        self.frame = frame
        pictured = board(pictures: true)
        plain = board(pictures: false)
    }

    /// The board with the reader's own place, and with the pictures of those on it or without.
    func board(mine: Leaderboard.Mine?, pictures: Bool) -> Leaderboard {
        var board = pictures ? pictured : plain
        board.me = mine
        return board
    }

    func holds(at time: Instant) -> Bool { frame.now >= time }
    func isConcerned(by news: ChangeFeed.News) -> Bool { false }
    var size: Int { plain.entries.count + 1 }
}

extension GlobalBoardStore.Cursor {
    init?(_ paging: Paging) throws {
        guard let after = paging.after else { return nil }
        guard after.count == 4, let length = Period.Length(rawValue: after[0]), let firstDay = Day(iso: after[1]),
            let seconds = Int(after[2]), let uid = ID(after[3])
        else { throw Paging.invalidCursor }
        self.init(length: length, firstDay: firstDay, seconds: seconds, uid: uid)
    }

    var text: String { Paging.cursor(length.rawValue, firstDay, seconds, uid) }
}
