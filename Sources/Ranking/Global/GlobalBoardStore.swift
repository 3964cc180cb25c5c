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

    /// One page of a month's board; of the month that is now if none is given. Its totals are those of the page's own
    /// instant: nobody whose total did not change is skipped or repeated, and the cursor keeps the month. Throws
    /// `invalid_cursor` and `future_period`.
    func board(in month: Day?, for caller: Caller, _ paging: Paging) async throws -> Leaderboard {
        let (uid, position) = (caller.uid, caller.position)
        if let cursor = try Cursor(paging) {
            async let below = page(month ?? cursor.month, below: cursor, limit: paging.limit)
            return try await Leaderboard(below, mine: nil, pictures: takesPart(uid))
        }
        let top = try await tops.value(TopKey(month: month, limit: paging.limit), at: position, own: [uid]) {
            try await page(month, below: nil, limit: paging.limit)
        }
        let own = try await ownPlaces.value(OwnKey(uid: uid, month: month), at: position) {
            async let places = rows(for: uid, month, limit: 0)
            let takesPart = try await takesPart(uid)
            return try await OwnPlace(
                uid: uid, readAt: position.time, takesPart: takesPart,
                mine: Leaderboard.Mine(places, pictures: takesPart))
        }
        return Leaderboard(top, mine: own.mine, pictures: own.takesPart)
    }

    /// Whether that person takes part now. Participants see each other's pictures.
    private func takesPart(_ uid: ID) async throws -> Bool {
        try await database.read("SELECT global_board FROM users WHERE uid = \(uid)").first?.decode(Bool.self) ?? false
    }

    private func page(_ month: Day?, below cursor: Cursor?, limit: Int) async throws -> GlobalPage {
        // Both are asked for at once and travel together.
        async let frame = BoardFrame(ofEveryoneIn: month, in: database)
        async let places = rows(for: nil, month, below: cursor, limit: limit)
        return try await GlobalPage(frame, places)
    }

    /// The places below the cursor; without one, those at the top and then the reader's own with its neighbours.
    private func rows(
        for reader: ID?, _ month: Day?, below cursor: Cursor? = nil, limit: Int
    ) async throws -> [Place] {
        try await database.read(
            """
            SELECT section, rank, uid, nickname, avatar, seconds, manual_seconds, studying, change, participants,
              gap_to_next_seconds, more
            FROM global_board(\(reader), \(month), \(cursor?.seconds), \(cursor?.uid), \(limit))
            """
        ).map(Place.init)
    }

    // MARK: Keeping

    /// Names the top of a board that is the same for everybody.
    struct TopKey: Hashable {
        /// nil for the month that is now.
        let month: Day?
        let limit: Int
    }

    private struct OwnKey: Hashable {
        let uid: ID
        let month: Day?
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
        func concerns(_ subject: ID) -> Bool { subject == uid }
    }

    /// Where the next page goes on: below this place of this month.
    struct Cursor {
        let month: Day
        let seconds: Int
        let uid: ID
    }
}

/// One page of the global board, the same for everybody who takes part, and without pictures for everybody else.
struct GlobalPage: Keepable {
    let frame: BoardFrame
    let participants: Int
    private let pictured: Listed
    private let plain: Listed
    /// The cursor of the next page.
    let next: String?

    init(_ frame: BoardFrame, _ rows: [Place]) {
        self.frame = frame
        participants = rows.first?.participants ?? 0
        pictured = Listed(rows, pictures: true)
        plain = Listed(rows, pictures: false)
        next = rows.last.flatMap { last in
            last.more
                ? GlobalBoardStore.Cursor(month: frame.firstDay, seconds: last.member.seconds, uid: last.member.uid!)
                    .text
                : nil
        }
    }

    /// The entries with the pictures of those on it, or without.
    func listed(pictures: Bool) -> Listed { pictures ? pictured : plain }

    func holds(at time: Instant) -> Bool { frame.now >= time }
    func concerns(_ subject: ID) -> Bool { false }
    var size: Int { plain.entries.count + 1 }

    struct Listed {
        let entries: [Leaderboard.Entry]
        let text: [UInt8]

        init(_ rows: [Place], pictures: Bool) {
            entries = rows.map { .member($0.member(pictures: pictures)) }
            text = Leaderboard.text(of: entries)
        }
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
