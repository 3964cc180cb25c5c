import Postgres

/// What a member may do in a group; the higher may do what the lower may.
package enum Role: String, Sendable, Comparable, CaseIterable, Encodable, PostgresDecodable {
    case member, admin, owner

    package static func < (a: Role, b: Role) -> Bool { a.level < b.level }

    private var level: Int {
        switch self {
        case .member: 0
        case .admin: 1
        case .owner: 2
        }
    }

    /// Whether one of this role may put one of that role out: an owner anyone, an admin only members.
    package func mayRemove(_ other: Role) -> Bool { self == .owner || self > other && self == .admin }
}

/// How much of oneself one shows on a group's boards and in its list of members; always one's own choice.
package enum Visibility: String, Sendable, CaseIterable, Encodable, PostgresDecodable {
    /// Nickname and picture.
    case shown
    /// The nickname without the picture.
    case nickname
    /// Not at all; the rank stays taken, so that everyone else's is right.
    case hidden
}
