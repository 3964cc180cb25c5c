import Groups
import HTTP
import Postgres
import Time

/// A report about somebody on a board, as its author sees it.
struct OwnReport: Sendable, Encodable {
    let id: ID
    let about: NamedUser
    /// Whose board it was; nil for the global board.
    @OrNull var groupId: ID?
    let reason: String
    let madeAt: Instant
    /// What a site admin says to it; with that the report is closed.
    @OrNull var answer: String?
    @OrNull var answeredAt: Instant?
}

/// The same as site admins see it.
struct Report: Sendable, Encodable {
    let id: ID
    /// nil when the account is gone.
    @OrNull var reporter: NamedUser?
    let about: NamedUser
    @OrNull var groupId: ID?
    /// nil for the global board and for a group that is gone.
    @OrNull var groupName: String?
    let reason: String
    let madeAt: Instant
    @OrNull var answer: String?
    @OrNull var answeredAt: Instant?
    /// nil also when the operator answered.
    @OrNull var answeredBy: NamedUser?
    /// Whether the person is suspended from the service's boards now.
    let aboutSuspended: Bool
    /// How many reports there are about the person, with this one.
    let aboutCount: Int
}
