import API
import Accounts
import HTTP
import Postgres
import Time

/// A group as one of its members sees it.
package struct Group: Sendable, Encodable {
    package let id: ID
    package let name: String
    package let description: String
    package let colour: Colour
    /// In place of a picture; `null` where nobody has chosen one.
    @OrNull package var emoji: String?
    package let rules: Rules
    package let memberCount: Int
    package let myRole: Role
    package let myVisibility: Visibility
    /// The next declared rules that have not taken effect.
    package let nextRules: NextRules?
    /// All declared rules that have not taken effect, in order; the next two months can have different ones.
    package let comingRules: [NextRules]
    /// The first month for which rules can still be declared, such as `2026-12`.
    package let newRulesFrom: String
    @OrNull package var monthGoal: MonthGoal?
    /// Whether anyone may see and embed the group's badge.
    package let badgeAllowed: Bool
    /// Whether the group takes part in the board of groups.
    package let duel: Bool
    /// Whether anybody on the service may find the group and ask to join it.
    package let listed: Bool
    /// Whether anybody may read the group's closed months.
    package let monthsPublic: Bool
    /// Whether anybody may read the group's board of the month, on any page.
    package let boardPublic: Bool
    /// How many ask to join; `null` for those who may not answer them.
    @OrNull package var openJoinRequests: Int?
    /// The caller's own suspension while it is in force.
    @OrNull package var mySuspension: Suspension?
    package let createdAt: Instant
}

/// The group's goal for the current month, and the progress so far.
package struct MonthGoal: Sendable, Encodable {
    package let seconds: Int
    /// Counted seconds by the group's rules, running timers included.
    package let reachedSeconds: Int
}

/// Declared rules with the month they begin in; a change never reaches back.
package struct NextRules: Sendable, Encodable {
    /// The first day of the month.
    package let fromMonth: Day
    package let rules: Rules

    private enum CodingKeys: CodingKey { case fromMonth }

    /// The rules' own members with `from_month` before them.
    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(fromMonth.monthText, forKey: .fromMonth)
        try rules.encode(to: encoder)
    }
}

/// A member as the others see them.
package struct Member: Sendable, Encodable {
    package let uid: ID
    package let nickname: String
    @OrNull package var avatarURL: AvatarURL?
    package let role: Role
    package let visibility: Visibility
    package let joinedAt: Instant
}

/// Somebody who may not come back.
package struct Ban: Sendable, Encodable {
    package let uid: ID
    package let nickname: String
    /// nil when their account is gone.
    @OrNull package var bannedBy: ID?
    package let bannedAt: Instant
}

/// One's own place in a group.
package struct Membership: Sendable, Encodable {
    package let groupID: ID
    package let uid: ID
    package let role: Role
    package let visibility: Visibility
    package let joinedAt: Instant
}
