import Postgres

/// What a member may do in a group. An admin changes it, invites, and removes members; an owner does everything.
package enum Role: String, Sendable, CaseIterable, Encodable, PostgresDecodable {
    case member, admin, owner
}

/// What a member shows on the group's boards and in its member list. Only the member chooses it.
package enum Visibility: String, Sendable, CaseIterable, Encodable, PostgresDecodable {
    /// Nickname and picture.
    case shown
    /// The nickname without the picture.
    case nickname
    /// Not at all; the rank stays taken, so that everyone else's is right.
    case hidden
}
