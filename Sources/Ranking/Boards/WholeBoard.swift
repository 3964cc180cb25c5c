import API
import Accounts
import HTTP
import Postgres
import Synchronization
import Time

/// A group's board at one instant with everybody on it, hidden or not: each reader's view is cut out of it.
final class WholeBoard: Keepable {
    fileprivate struct Seat {
        let score: Int
        let isHidden: Bool
        let member: Leaderboard.Member
    }

    let group: Leaderboard.Group
    let frame: BoardFrame
    /// The instant it shows: the one at which it was read, or that of an earlier page.
    let asOf: Instant
    let days: Int?
    /// In the board's order: by score, hidden members last among equals, then by uid, all descending.
    private let seats: [Seat]
    private let seatOf: [ID: Int]
    /// What first pages share as JSON, by their length: nearly all readers get the same.
    private let firstPages = Mutex<[Int: SharedText]>([:])
    /// Entries as JSON by their index, as far as somebody was shown them beside their own.
    private let texts = Mutex<[Int: [UInt8]]>([:])

    /// Everybody who is ranked.
    var count: Int { seats.count }

    /// The first row is what stands above the board, the others are in its order. Throws `not_found` without any, and
    /// `future_period`.
    init(of group: ID, _ rows: Rows) throws {
        guard let heading = rows.first else { throw Refusal.ranking.groupNotFound }
        frame = try BoardFrame(heading, clockChanges: ClockChange.all(heading["clock_changes"]))
        self.group = Leaderboard.Group(id: group, name: frame.name)
        asOf = try heading["as_of"]
        days = try heading["days"]
        let seats = try rows.dropFirst().map { try Seat($0) }
        self.seats = seats
        seatOf = Dictionary(
            uniqueKeysWithValues: seats.indices.compactMap { index in seats[index].member.uid.map { ($0, index) } })
    }

    // MARK: Keeping

    /// Only in the second in which it was read: timers run, and days and suspensions end.
    func holds(at time: Instant) -> Bool { frame.now >= time }

    func isConcerned(by news: ChangeFeed.News) -> Bool {
        news.contains { $0 == group.id || seatOf[$0] != nil }
    }

    /// Whether the change may be shown to everybody at once. The moment of a hidden person's change would tell when
    /// they study, so it waits for the next ping.
    func isSeenToChange(by news: ChangeFeed.News) -> Bool {
        news.contains { $0 == group.id || seatOf[$0] != nil && !hides($0) }
    }

    /// Whether this person is on it and hidden.
    func hides(_ uid: ID) -> Bool { seatOf[uid].map { seats[$0].isHidden } ?? false }

    /// Whether there are people on it whom others do not see.
    var hidesSomebody: Bool { seats.contains(where: \.isHidden) }

    var size: Int { seats.count + 1 }

    // MARK: One reader's view

    /// Where a page goes on: a number of places below a visible member, or below the top.
    struct Place: Hashable {
        /// nil for the top.
        let below: Anchor?
        /// A hidden member cannot be named in a cursor, so places are counted from the last visible one.
        let skipped: Int

        struct Anchor: Hashable {
            let score: Int
            let uid: ID
        }
    }

    /// How many places lie above the page that goes on at `place`.
    private func start(_ place: Place?) -> Int {
        guard let place else { return 0 }
        let below = place.below.map { anchor in seats.firstPlace { $0.isBelow(anchor) } } ?? 0
        return min(below + place.skipped, seats.count)
    }

    /// The entries of one page as `reader` sees them, and where the next page goes on.
    func page(for reader: ID, from place: Place?, limit: Int) -> (entries: [Leaderboard.Entry], next: Place?) {
        let start = start(place)
        let end = min(start + limit, seats.count)
        return (seats[start..<end].indices.map { entry($0, for: reader) }, next(after: end))
    }

    private func next(after end: Int) -> Place? {
        guard end < seats.count else { return nil }
        for index in stride(from: end - 1, through: 0, by: -1) where !seats[index].isHidden {
            guard let uid = seats[index].member.uid else { continue }
            return Place(below: .init(score: seats[index].score, uid: uid), skipped: end - 1 - index)
        }
        return Place(below: nil, skipped: end)
    }

    /// The reader's own place with up to three others on either side; nil for a reader who is not on the board.
    func mine(_ reader: ID) -> Leaderboard.Mine? {
        guard let own = seatOf[reader] else { return nil }
        let next = seats[..<own].last { $0.score > seats[own].score && !$0.isHidden }
        let around = max(0, own - 3)..<min(own + 4, seats.count)
        return Leaderboard.Mine(
            entry: seats[own].member, gapToNext: next.map { $0.score - seats[own].score },
            neighbours: texts(of: around.filter { $0 != own }), above: own - around.lowerBound)
    }

    /// The entries of others as JSON. All others see the same text, so each is written once.
    private func texts(of indices: [Int]) -> [[UInt8]] {
        texts.withLock { texts in
            indices.map { index in
                if let text = texts[index] { return text }
                let text = entry(index, for: nil).json
                texts[index] = text
                return text
            }
        }
    }

    /// Everybody as `reader` sees them, or a stranger, in the board's order.
    func entries(for reader: ID?) -> [Leaderboard.Entry] { seats.indices.map { entry($0, for: reader) } }

    private func entry(_ index: Int, for reader: ID?) -> Leaderboard.Entry {
        let seat = seats[index]
        let isReader = reader != nil && seat.member.uid == reader
        return seat.isHidden && !isReader ? .someone(rank: index + 1) : .member(seat.member)
    }

    /// What readers of the first page share as JSON; nil for a hidden reader, whose page differs from all others.
    func firstPage(for reader: ID, limit: Int, written: () -> [UInt8]) -> SharedText? {
        if let own = seatOf[reader], seats[own].isHidden { return nil }
        return firstPages.withLock { texts in
            if let text = texts[limit] { return text }
            let text = SharedText(written())
            // Clients use one or two lengths; more would only fill the memory.
            if texts.count < 4 { texts[limit] = text }
            return text
        }
    }
}

extension WholeBoard.Seat {
    /// The columns of a place come first in a row.
    fileprivate init(_ row: Row) throws {
        let (rank, score, visibility, uid, nickname, avatar, seconds, manual, studying, change, permille, met) =
            try row.decode(
                Int.self, Int.self, String.self, ID?.self, String?.self, ID?.self, Int.self, Int.self, Bool.self,
                Int?.self, Int?.self, Int?.self)
        self.score = score
        isHidden = visibility == "hidden"
        member = Leaderboard.Member(
            rank: rank, uid: uid, nickname: nickname, avatarURL: uid.flatMap { AvatarURL(of: $0, version: avatar) },
            seconds: seconds, manualSeconds: manual,
            studying: studying, change: change, effort: Leaderboard.Effort(permille, met))
    }

    /// Whether the board's order has it below that member.
    fileprivate func isBelow(_ anchor: WholeBoard.Place.Anchor) -> Bool {
        if score != anchor.score { return score < anchor.score }
        return isHidden || member.uid.map { $0 < anchor.uid } ?? false
    }
}

extension Array {
    /// The index of the first element that passes; every element after it must pass, too. `endIndex` if none does.
    fileprivate func firstPlace(where passes: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if passes(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
