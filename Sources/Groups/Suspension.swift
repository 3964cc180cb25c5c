import HTTP
import Postgres
import Time

/// A member's suspension from a group's boards: reason, end, and the member's answer.
package struct Suspension: Sendable, Encodable {
    package let id: ID
    package let uid: ID
    @OrNull package var nickname: String?
    package let reason: String
    package let since: Instant
    package let until: Instant
    /// Neither over nor lifted.
    package let inForce: Bool
    /// nil when their account is gone.
    @OrNull package var suspendedBy: NamedUser?
    @OrNull package var liftedAt: Instant?
    @OrNull package var liftedBy: NamedUser?
    /// What the member says to it, for the admins to read.
    @OrNull package var answer: String?
    @OrNull package var answeredAt: Instant?
}

/// Somebody by their nickname, `null` when the account is gone.
package struct NamedUser: Sendable, Encodable {
    package let uid: ID
    @OrNull package var nickname: String?

    package init(uid: ID, nickname: String?) {
        self.uid = uid
        self.nickname = nickname
    }
}

/// What was done in a group, by whom and to whom.
package struct GroupEvent: Sendable, Encodable {
    package let at: Instant
    /// Such as `member_suspended`.
    package let kind: String
    @OrNull package var actor: NamedUser?
    /// Whom it concerns.
    @OrNull package var member: NamedUser?
    /// What there is to say of an event of this kind.
    package let details: JSON
}
