import Foundation
import Postgres

/// One row of a board as the schema answers it.
struct Place: Equatable {
    enum Section: String, PostgresDecodable {
        case top, me, neighbour
    }

    let section: Section
    let entry: Leaderboard.Entry
    let participants: Int
    let gapToNext: Int?
    let more: Bool
    let asOf: Instant
    let days: Int?
}

extension Place {
    init(_ row: Row) throws {
        let (
            section, rank, uid, nickname, seconds, manualSeconds, studying, change, participants, gapToNext, more,
            asOf, goalPermille, daysMet, days
        ) = try row.decode(
            Section.self, Int.self, UUID.self, String.self, Int.self, Int.self, Bool.self, Int?.self,
            Int.self, Int?.self, Bool?.self, Instant.self, Int?.self, Int?.self, Int?.self)
        self.section = section
        entry = Leaderboard.Entry(
            rank: rank, uid: uid, nickname: nickname, avatarURL: nil, seconds: seconds, manualSeconds: manualSeconds,
            studying: studying, change: change, effort: Leaderboard.Effort(goalPermille, daysMet))
        self.participants = participants
        self.gapToNext = gapToNext
        self.more = more ?? false
        self.asOf = asOf
        self.days = days
    }
}

extension Leaderboard {
    /// A board of its places; `cursor` writes the text of the one that goes on below a place.
    init(
        group: Group?, _ order: Order, _ length: Period.Length, _ frame: BoardFrame, _ places: [Place], asOf: Instant,
        days: Int?,
        entriesText: [UInt8]? = nil, cursor: (Place) -> String
    ) {
        let top = places.filter { $0.section == .top }
        self.init(
            group: group, order: order, period: length, at: length.name(frame.firstDay), rules: frame.rules,
            startsAt: frame.startsAt, endsAt: frame.endsAt, state: frame.state, asOf: asOf,
            participants: places.first?.participants ?? 0, days: days, entries: top.map(\.entry),
            entriesText: entriesText,
            me: places.first { $0.section == .me }.map { mine in
                Mine(
                    entry: mine.entry, gapToNext: mine.gapToNext,
                    neighbours: places.filter { $0.section == .neighbour }.map(\.entry))
            },
            next: top.last.flatMap { $0.more ? cursor($0) : nil })
    }
}
