import API
import Accounts
import Groups
import Postgres
import Time

/// A group's room at one instant with everybody in it, hidden or not: each reader's view is cut out of it.
struct WholeRoom: Keepable {
    private struct Place {
        let member: RoomMember
        let isHidden: Bool
    }

    private let group: ID
    private let day: Day
    private let asOf: Instant
    private let endsAt: Instant
    private let places: [Place]
    private let notice: GroupNotice?
    private let cycle: GroupCycle?
    private let people: Set<ID>

    /// The first row is the heading. Throws `not_found` without any.
    init(of group: ID, _ rows: Rows, notice: GroupNotice?, cycle: GroupCycle?) throws {
        guard let heading = rows.first else { throw Refusal.ranking.groupNotFound }
        self.group = group
        day = try heading["day"]
        asOf = try heading["server_time"]
        endsAt = try heading["ends_at"]
        places = try rows.dropFirst().map { row in
            Place(member: try RoomMember(row), isHidden: try row["visibility", as: Visibility.self] == .hidden)
        }
        people = Set(places.map(\.member.uid))
        self.notice = notice
        self.cycle = cycle
    }

    // MARK: Keeping

    /// Only in the second in which it was read: timers run.
    func holds(at time: Instant) -> Bool { asOf >= time }

    func isConcerned(by news: ChangeFeed.News) -> Bool {
        news.contains { $0 == group || people.contains($0) }
    }

    var size: Int { places.count + 1 }

    // MARK: One reader's view

    /// Without those who hide from `reader`, and with whom they have cheered.
    func room(for reader: ID, cheers: OwnCheers, given: Set<ID>, limit: Int) -> Room {
        let seen = places.filter { !$0.isHidden || $0.member.uid == reader }.map(\.member)
        let members = seen.prefix(limit).map { member in
            var member = member
            member.cheered = given.contains(member.uid)
            return member
        }
        return Room(
            day: day, asOf: asOf, endsAt: endsAt, studying: seen.count { $0.sitting != nil }, members: members,
            shownCount: seen.count, hiddenCount: places.count - seen.count, notice: notice, cycle: cycle, cheers: cheers
        )
    }
}

extension RoomMember {
    /// A row of `group_today`.
    fileprivate init(_ row: Row) throws {
        let uid: ID = try row["uid"]
        let since: Instant? = try row["since"]
        let subject: String? = try row["subject"]
        self.init(
            uid: uid, nickname: try row["nickname"], avatarURL: AvatarURL(of: uid, version: try row["avatar"]),
            seconds: try row["seconds"],
            sitting: try since.map { since in
                Sitting(
                    since: since, seconds: try row["sitting_seconds"],
                    subject: try subject.map { Subject(name: $0, colour: try row["colour"]) })
            },
            ants: Ants(study: try row["study"], wakeUp: try row["wake_up"]))
    }
}
