import Accounts
import Groups
import HTTP
import Postgres
import Time

/// A closed month of a group: the board as it was sealed, with every amendment since. `rank` and `seconds` of the
/// entries are the sealed ones, which the digest is over; `amendedRank` and `amendedSeconds` are what holds now.
package struct Standings: Sendable, Encodable {
    package let group: Leaderboard.Group
    package let month: String
    package let closedAt: Instant
    /// Those by which the group counted the month.
    package let rules: Rules
    package let clockChanges: [ClockChange]
    /// Over the canonical text: a heading, then the digest of each entry's line, in ascending order.
    package let sha256: String
    /// By sealed rank, and among equals in the order of the board.
    package private(set) var entries: [Entry]
    package private(set) var amendments: [Amendment]
    /// The reader's own place; nil if they are not in these standings.
    @OrNull package var me: Mine?

    package struct Entry: Sendable, Encodable {
        /// The sealed rank; for somebody hidden from the reader, the place in the list.
        package let rank: Int
        /// Hidden from the reader: only the digest of the line is given.
        package let hidden: Bool
        /// SHA-256 of the entry's line: `RANK SECONDS MANUAL_SECONDS PERSON SEAL_SALT`.
        package let line: String
        /// SHA-256 of the salt and the UID, in hexadecimal. It can be checked only by someone who knows both.
        @OrNull package var person: String?
        @OrNull package var sealSalt: String?
        /// nil if they hide or have no account any more.
        @OrNull package var uid: ID?
        @OrNull package var nickname: String?
        /// The picture that they show to the group now.
        @OrNull package var avatarURL: AvatarURL?
        @OrNull package var seconds: Int?
        @OrNull package var manualSeconds: Int?
        package let amendedRank: Int
        /// The place in the order of the board, which no two share.
        package let amendedPlace: Int
        @OrNull package var amendedSeconds: Int?
        /// What an average day of the month grew, such as `sprout`.
        @OrNull package var growth: String?
    }

    /// A correction that everybody sees.
    package struct Amendment: Sendable, Encodable {
        package let at: Instant
        /// nil when the account that it was about is gone.
        @OrNull package var reason: String?
        @OrNull package var uid: ID?
        @OrNull package var nickname: String?
        /// Who made it.
        @OrNull package var by: String?
        /// nil of someone who hides from the reader.
        @OrNull package var oldRank: Int?
        @OrNull package var newRank: Int?
        @OrNull package var oldSeconds: Int?
        @OrNull package var newSeconds: Int?
    }

    package struct Mine: Sendable, Encodable {
        package let person: String
        /// With it and their UID the reader can check that `person` is them.
        package let salt: String
        package let rank: Int
        package let seconds: Int
    }
}

/// A closed month in a list.
package struct ClosedMonth: Sendable, Encodable {
    package let month: String
    package let closedAt: Instant
    package let sha256: String
    package let participants: Int
    package let amendments: Int
    /// The reader's own rank and seconds; nil if they are not in them.
    @OrNull package var rank: Int?
    @OrNull package var seconds: Int?
}

/// The closed months of a group that shows them to everybody.
package struct PublicMonths: Sendable, Encodable {
    package let group: Leaderboard.Group
    package let items: [ClosedMonth]
    @OrNull package var next: String?
}

/// One's own place in a closed month of some group.
package struct OwnStanding: Sendable, Encodable {
    package let group: Leaderboard.Group
    package let month: String
    package let rank: Int
    package let participants: Int
    package let seconds: Int
    package let manualSeconds: Int
}

/// Somebody who stood on a podium.
package struct Champion: Sendable, Encodable {
    package let uid: ID
    package let nickname: String
    @OrNull package var avatarURL: AvatarURL?
    package let firsts: Int
    package let podiums: Int
    /// How many closed months they were in.
    package let months: Int
    package let bestMonth: String
    package let bestSeconds: Int
}

extension Standings {
    /// The same for people who are not in the group: names, but nothing that leads to an account, and not who amended.
    var forStrangers: Standings {
        var standings = self
        for index in entries.indices {
            standings.entries[index].uid = nil
            standings.entries[index].avatarURL = nil
        }
        for index in amendments.indices {
            standings.amendments[index].uid = nil
            standings.amendments[index].by = nil
        }
        return standings
    }
}
