import Postgres
import Time

/// One row of the global board as the schema answers it.
struct Place {
    enum Section: String, PostgresDecodable {
        case top, me, neighbour
    }

    let section: Section
    let member: Leaderboard.Member
    let participants: Int
    let gapToNext: Int?
    let more: Bool
}

extension Place {
    init(_ row: Row) throws {
        let (section, rank, uid, nickname, seconds, manualSeconds, studying, change, participants, gapToNext, more) =
            try row.decode(
                Section.self, Int.self, ID.self, String.self, Int.self, Int.self, Bool.self, Int?.self, Int.self,
                Int?.self, Bool?.self)
        self.section = section
        member = Leaderboard.Member(
            rank: rank, uid: uid, nickname: nickname, avatarURL: nil, seconds: seconds, manualSeconds: manualSeconds,
            studying: studying, change: change, effort: nil)
        self.participants = participants
        self.gapToNext = gapToNext
        self.more = more ?? false
    }
}

extension Leaderboard.Mine {
    /// The reader's own place among its neighbours; nil without it.
    init?(_ places: [Place]) {
        guard let own = places.firstIndex(where: { $0.section == .me }) else { return nil }
        self.init(
            entry: places[own].member, gapToNext: places[own].gapToNext,
            neighbours: places.filter { $0.section == .neighbour }.map { .member($0.member) }, above: own)
    }
}

extension Leaderboard {
    /// The global board with this page and the reader's own place.
    init(_ page: GlobalPage, mine: Mine?) {
        let frame = page.frame
        self.init(
            group: nil, order: .seconds, period: .month, at: Period.Length.month.name(frame.firstDay),
            rules: frame.rules, startsAt: frame.startsAt, endsAt: frame.endsAt, state: frame.state, asOf: frame.now,
            participants: page.participants, days: nil, entries: page.entries, entriesText: page.entriesText,
            me: mine, next: page.next)
    }
}
