import Postgres

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

extension Leaderboard {
    /// The global board of its places; `cursor` writes the text of the one that goes on below a place.
    init(_ frame: BoardFrame, _ places: [Place], cursor: (Member) -> String) {
        let top = places.filter { $0.section == .top }
        let around = places.filter { $0.section != .top }
        self.init(
            group: nil, order: .seconds, period: .month, at: Period.Length.month.name(frame.firstDay),
            rules: frame.rules, startsAt: frame.startsAt, endsAt: frame.endsAt, state: frame.state, asOf: frame.now,
            participants: places.first?.participants ?? 0, days: nil, entries: top.map { .member($0.member) },
            entriesText: nil,
            me: around.firstIndex { $0.section == .me }.map { mine in
                Mine(
                    entry: around[mine].member, gapToNext: around[mine].gapToNext,
                    neighbours: around.filter { $0.section == .neighbour }.map { .member($0.member) }, above: mine)
            },
            next: top.last.flatMap { $0.more ? cursor($0.member) : nil })
    }
}
