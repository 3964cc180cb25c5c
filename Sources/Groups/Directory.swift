import API
import HTTP
import Postgres
import Time

/// A listed group as everybody on the service sees it.
struct ListedGroup: Sendable, Encodable {
    let id: ID
    let name: String
    let description: String
    let colour: Colour
    @OrNull var emoji: String?
    let rules: Rules
    let memberCount: Int
    /// How long each member has studied this month; nil where that would tell too much about one of them.
    @OrNull var meanSeconds: Int?
    let createdAt: Instant
    let isMember: Bool
    /// The caller's own latest request.
    @OrNull var myRequest: Request?

    struct Request: Sendable, Encodable {
        let id: ID
        let state: JoinState
        let askedAt: Instant
        @OrNull var answeredAt: Instant?
    }
}

/// What became of a request to join.
enum JoinState: String, Sendable, Encodable {
    case open, accepted, declined

    init(accepted: Bool?) {
        self = accepted.map { $0 ? .accepted : .declined } ?? .open
    }
}

/// One's own request to join a group.
struct OwnJoinRequest: Sendable, Encodable {
    let id: ID
    let group: Group
    @OrNull var text: String?
    let state: JoinState
    let askedAt: Instant
    @OrNull var answeredAt: Instant?

    struct Group: Sendable, Encodable {
        let id: ID
        let name: String
    }
}

/// A request that the admins of a group have not answered.
struct OpenJoinRequest: Sendable, Encodable {
    let id: ID
    let uid: ID
    let nickname: String
    @OrNull var text: String?
    let askedAt: Instant
}
