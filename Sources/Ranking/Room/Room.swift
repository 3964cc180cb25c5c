import API
import Accounts
import Groups
import HTTP
import Postgres
import Time

/// What a group's page shows of today, as one member sees it.
struct Room: Sendable, Encodable {
    let day: Day
    /// The instant it shows.
    let asOf: Instant
    let endsAt: Instant
    /// How many of those whom the reader sees are studying.
    let studying: Int
    /// Those whom the reader sees, the studying first; at most as many as were asked for.
    let members: [RoomMember]
    /// How many members the reader sees, and how many hide.
    let shownCount: Int
    let hiddenCount: Int
    @OrNull var notice: GroupNotice?
    @OrNull var cycle: GroupCycle?
    let cheers: OwnCheers
}

/// A member's day as the others see it.
struct RoomMember: Sendable, Encodable {
    let uid: ID
    let nickname: String
    @OrNull var avatarURL: AvatarURL?
    /// What counts today on the group's board.
    let seconds: Int
    /// nil while they are not studying.
    @OrNull var sitting: Sitting?
    let ants: Ants
    /// Whether the reader has cheered them today.
    var cheered = false

    struct Sitting: Sendable, Encodable {
        let since: Instant
        /// Studied since then, without the pauses.
        let seconds: Int
        /// nil where nobody is to know.
        @OrNull var subject: Subject?
    }

    struct Subject: Sendable, Encodable {
        let name: String
        let colour: Colour
    }

    struct Ants: Sendable, Encodable {
        let study: Bool
        let wakeUp: Bool
    }
}

/// A few words of the admins to all members.
struct GroupNotice: Sendable, Encodable {
    let text: String
    /// nil when their account is gone.
    @OrNull var writtenBy: NamedUser?
    let writtenAt: Instant
}

/// In which the group studies and rests, and where it is now.
struct GroupCycle: Sendable, Encodable {
    let studyMinutes: Int
    let restMinutes: Int
    /// The minute of the hour at which a time of study began.
    let minute: Int
    let resting: Bool
    /// When this study or rest ends.
    let endsAt: Instant
}

/// The reader's own cheers of today.
struct OwnCheers: Sendable, Encodable {
    /// How many they can still give.
    let left: Int
    let received: Int
    /// Who gave them, without those who hide.
    let from: [NamedUser]
}
