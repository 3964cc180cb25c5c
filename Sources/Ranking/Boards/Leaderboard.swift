import Accounts
import Groups
import HTTP
import Postgres
import Time

/// A ranking by study time in one period, of one group or of everyone who opted in, as one reader sees it at one
/// instant.
package struct Leaderboard: Sendable {
    package struct Group: Sendable, Encodable {
        package let id: ID
        package let name: String
    }

    package enum State: String, Sendable, Encodable, PostgresDecodable {
        case open
        /// Over, but late uploads still count.
        case grace
        /// Final.
        case closed
    }

    /// A place on a board, as the reader may see it.
    package enum Entry: Sendable, Hashable {
        case member(Member)
        /// A hidden member's place, without name or seconds. The rank is the position, so it does not reveal whether
        /// the member is tied with a neighbour.
        case someone(rank: Int)

        /// nil for a hidden member.
        package var member: Member? { if case .member(let member) = self { member } else { nil } }

        package var rank: Int {
            switch self {
            case .member(let member): member.rank
            case .someone(let rank): rank
            }
        }
    }

    /// A member's place. Equal seconds share a rank: 1, 2, 2, 4.
    package struct Member: Sendable, Hashable {
        package let rank: Int
        /// nil for a deleted account, on the board of a closed month.
        package let uid: ID?
        /// nil for a deleted account.
        package let nickname: String?
        /// nil if the member has no picture, or does not show it to the reader.
        package var avatarURL: AvatarURL?
        package let seconds: Int
        /// How many of the seconds were logged by hand.
        package let manualSeconds: Int
        package let studying: Bool
        /// Places gained since the study day began; nil where there was no place to compare with.
        package let change: Int?
        /// nil when the board ranks by seconds.
        package let effort: Effort?
    }

    /// The reader's own entry and its neighbours.
    package struct Mine: Sendable, Hashable {
        package let entry: Member
        /// The distance to the next visible member above, in what the board ranks by; nil without one.
        package let gapToNext: Int?
        /// Up to three others on either side, in the board's order, as JSON.
        package let neighbours: [[UInt8]]
        /// How many of the neighbours stand above.
        package let above: Int
    }

    /// nil on the global board.
    package let group: Group?
    package let order: Order
    package let period: Period.Length
    package let at: String
    package let rules: Rules
    package let startsAt: Instant
    package let endsAt: Instant
    /// Empty on the global board.
    package var clockChanges: [ClockChange] = []
    package let state: State
    package let asOf: Instant
    /// Everyone who is ranked, hidden members included.
    package let participants: Int
    /// How many days of the period there have been so far; nil when the board ranks by seconds.
    package let days: Int?
    package let entries: [Entry]
    /// The cursor of the next page.
    package let next: String?
    /// ``shared``, if it was written before.
    var sharedText: SharedText?
    /// nil for a reader who is not on this board.
    package var me: Mine?
}
