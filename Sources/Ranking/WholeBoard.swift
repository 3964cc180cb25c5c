import Foundation
import Postgres
import Synchronization

/// A group's board at one instant with everybody on it, hidden or not: what each reader's own view is cut out of, by the
/// rules of the schema's `board`.
struct WholeBoard: Sendable {
    private struct Seat {
        let score: Int
        let isHidden: Bool
        /// nil for who has no account any more: they only count.
        let entry: Leaderboard.Entry?
    }

    let group: Leaderboard.Group
    let frame: BoardFrame
    let days: Int?
    /// By score and then by uid, both descending.
    private let seats: [Seat]
    private let seatOf: [UUID: Int]
    /// The seats that everybody sees.
    private let open: [Int]
    private let texts = Texts()

    /// What was written of it before.
    private final class Texts: Sendable {
        /// First pages as JSON, by how many are on one: nearly all who look get the same.
        let byLimit = Mutex<[Int: [UInt8]]>([:])
        /// The tags of the answers that were made of it.
        let tags = Mutex<[View: String]>([:])
    }

    private struct View: Hashable {
        let reader: UUID
        let limit: Int
    }

    var asOf: Instant { frame.now }
    /// Everybody who is ranked.
    var count: Int { seats.count }

    /// The rows are in the board's order.
    init(of group: UUID, _ frame: BoardFrame, _ rows: Rows) throws {
        self.group = Leaderboard.Group(id: group, name: frame.name)
        self.frame = frame
        let seats = try rows.map { row in
            let (isHidden, rank, uid, nickname, seconds, manual, studying, change, score, permille, met) =
                try row.decode(
                    Bool.self, Int.self, UUID?.self, String?.self, Int.self, Int.self, Bool.self, Int?.self, Int.self,
                    Int?.self, Int?.self)
            var entry: Leaderboard.Entry?
            if let uid, let nickname {
                entry = Leaderboard.Entry(
                    rank: rank, uid: uid, nickname: nickname, avatarURL: nil, seconds: seconds,
                    manualSeconds: manual, studying: studying, change: change,
                    effort: Leaderboard.Effort(permille, met))
            }
            return Seat(score: score, isHidden: isHidden, entry: entry)
        }
        self.seats = seats
        days = try rows.first?["days"]
        seatOf = Dictionary(
            uniqueKeysWithValues: seats.indices.compactMap { index in
                seats[index].entry.map { ($0.uid, index) }
            })
        open = seats.indices.filter { !seats[$0].isHidden && seats[$0].entry != nil }
    }

    /// Whether one of these is the group, or is on its board.
    func concerns(_ ids: some Sequence<UUID>) -> Bool { ids.contains { $0 == group.id || seatOf[$0] != nil } }

    /// One page of it as `reader` sees it: below the last place of the page before, or else from the top, with the
    /// reader's own place and up to three others on either side. Of the page only its last place, below which the next one
    /// begins, if the rest of it is written already.
    func places(
        for reader: UUID, below last: (score: Int, uid: UUID)?, limit: Int, isWritten: Bool = false
    ) -> [Place] {
        let own = seatOf[reader]
        // Who hides is seen by themselves.
        var seen = open
        if let own, seats[own].isHidden { seen.insert(own, at: seen.firstPlace { $0 > own }) }

        let start = last.map { last in seen.firstPlace { isBelow(last, seats[$0]) } } ?? 0
        let end = min(start + limit, seen.count)
        var places = seen[start..<end].suffix(isWritten ? 1 : limit)
            .compactMap { place(.top, $0, more: end < seen.count) }
        if last == nil, let own {
            let mine = seen.firstPlace { $0 >= own }
            let better = seats.firstPlace { $0.score <= seats[own].score } - 1
            let gap = better >= 0 ? seats[better].score - seats[own].score : nil
            places += [own].compactMap { place(.me, $0, gap: gap) }
            places += seen[max(0, mine - 3)..<min(mine + 4, seen.count)].filter { $0 != own }
                .compactMap { place(.neighbour, $0) }
        }
        return places
    }

    /// The entries of the first page as JSON; nil for who hides, because they alone see themselves.
    func firstPage(for reader: UUID, limit: Int) -> [UInt8]? {
        if let own = seatOf[reader], seats[own].isHidden { return nil }
        return texts.byLimit.withLock { texts in
            if let text = texts[limit] { return text }
            let text = Leaderboard.text(of: open.prefix(limit).compactMap { seats[$0].entry })
            // (Nobody asks for more kinds of pages than that, unless to fill the memory.)
            if texts.count < 4 { texts[limit] = text }
            return text
        }
    }

    /// The ETag of the answer with the first page, if it was made before.
    func tag(for reader: UUID, limit: Int) -> String? {
        texts.tags.withLock { $0[View(reader: reader, limit: limit)] }
    }

    func note(_ tag: String, for reader: UUID, limit: Int) {
        texts.tags.withLock { tags in
            // (More than ever look within a second.)
            if tags.count < 20_000 { tags[View(reader: reader, limit: limit)] = tag }
        }
    }

    private func isBelow(_ last: (score: Int, uid: UUID), _ seat: Seat) -> Bool {
        guard let uid = seat.entry?.uid else { return false }
        return (seat.score, uid) < last
    }

    private func place(_ section: Place.Section, _ seat: Int, gap: Int? = nil, more: Bool = false) -> Place? {
        seats[seat].entry.map {
            Place(
                section: section, entry: $0, participants: count, gapToNext: gap, more: more, asOf: asOf,
                days: days)
        }
    }
}

extension Array {
    /// Where the elements begin that pass; all before them do not.
    fileprivate func firstPlace(where passes: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if passes(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
