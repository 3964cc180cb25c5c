import API
import Groups
import HTTP
import Postgres
import Time

/// The groups that take part, ranked by a month's mean timer time per member.
struct GroupsBoard: Sendable, Encodable {
    /// What everybody sees of such a group.
    struct Group: Sendable, Encodable {
        let id: ID
        let name: String
        let colour: Colour
        @OrNull var emoji: String?
    }

    /// A group's place. Equal means share a rank: 1, 2, 2, 4.
    struct Entry: Sendable, Encodable {
        let rank: Int
        let group: Group
        /// The group's rules of that month.
        let rules: Rules
        /// Everyone on the group's own board of that month.
        let memberCount: Int
        /// Whole seconds, rounded down.
        let meanSeconds: Int
        /// Whether the reader is in the group.
        var mine: Bool
    }

    /// One of the reader's own groups.
    struct Own: Sendable, Encodable {
        let entry: Entry
        /// The distance to the next better rank; nil for the first.
        let gapToNextSeconds: Int?

        private enum CodingKeys: CodingKey { case gapToNextSeconds }

        /// The entry's own members with the gap beside them.
        func encode(to encoder: any Encoder) throws {
            try entry.encode(to: encoder)
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(gapToNextSeconds, forKey: .gapToNextSeconds)
        }
    }

    /// The service's own clock, which decides which month is now.
    struct Clock: Sendable, Encodable {
        let timeZone: String
        let dayStartsAt: TimeOfDay
    }

    let period = Period.Length.month
    let at: String
    let studyClock: Clock
    /// When the means of months that are not closed were last counted; nil before the first time.
    @OrNull var asOf: Instant?
    let entries: [Entry]
    let mine: [Own]
    /// The cursor of the next page.
    @OrNull var next: String?
}
