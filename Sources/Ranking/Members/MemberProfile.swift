import Accounts
import Groups
import HTTP
import Postgres
import Time

/// A member of a group as another member sees them.
struct MemberProfile: Sendable, Encodable {
    let uid: ID
    let nickname: String
    @OrNull var avatarURL: AvatarURL?
    let role: Role
    let joinedAt: Instant
    /// The study day that they are in; `null` unless they show their calendar, and their closed months beside the reader's.
    @OrNull var today: Day?
    /// The group's last closed months in which both took part, the newest first; none unless `today` is there.
    let months: [Month]

    struct Month: Sendable, Encodable {
        let month: String
        let yours: Standing
        let theirs: Standing
    }

    /// With all amendments.
    struct Standing: Sendable, Encodable {
        let rank: Int
        let seconds: Int
    }
}
