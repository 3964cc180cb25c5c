import Accounts
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
        let (section, rank, uid, nickname, avatar, seconds, change, participants, gapToNext, more) = try row.decode(
            Section.self, Int.self, ID.self, String.self, ID?.self, Int.self, Int?.self, Int.self, Int?.self,
            Bool?.self)
        self.section = section
        // Only timer time counts here, and nobody is told who is studying.
        member = Leaderboard.Member(
            rank: rank, uid: uid, nickname: nickname, avatarURL: AvatarURL(of: uid, version: avatar), seconds: seconds,
            manualSeconds: 0, studying: false, change: change, effort: nil)
        self.participants = participants
        self.gapToNext = gapToNext
        self.more = more ?? false
    }

    /// The member as a reader sees them who sees pictures, or does not.
    func member(pictures: Bool) -> Leaderboard.Member {
        var seen = member
        if !pictures { seen.avatarURL = nil }
        return seen
    }
}

extension Leaderboard.Mine {
    /// The reader's own place among its neighbours; nil without it.
    init?(_ places: [Place], pictures: Bool) {
        guard let own = places.firstIndex(where: { $0.section == .me }) else { return nil }
        let neighbours = places.filter { $0.section == .neighbour }.map {
            Leaderboard.Entry.member($0.member(pictures: pictures)).json
        }
        self.init(
            entry: places[own].member(pictures: pictures), gapToNext: places[own].gapToNext, neighbours: neighbours,
            above: own)
    }
}
