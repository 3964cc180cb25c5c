import Postgres

/// What a member may do in a group. An admin changes it, invites, and removes members; an owner does everything.
package enum Role: String, Sendable, CaseIterable, Encodable, PostgresDecodable {
    case member, admin, owner
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
