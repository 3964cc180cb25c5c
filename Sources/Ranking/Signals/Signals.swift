import Accounts
import Groups
import HTTP
import Postgres

/// A month of a group's members in figures that are worth a look. A signal is no verdict, and nothing follows from it.
package struct Signals: Sendable, Encodable {
    package let month: String
    /// Those with most signals first, then by seconds.
    package let items: [MemberFigures]
    @OrNull package var next: String?
}

/// What one member's month looks like, by the group's rules.
package struct MemberFigures: Sendable, Encodable {
    package let uid: ID
    package let nickname: String
    @OrNull package var avatarURL: AvatarURL?
    package let role: Role
    /// What counts; a running timer from its next pause on.
    package let seconds: Int
    /// How many of them are there only because of time written down by hand.
    package let manualSeconds: Int
    package let manualPermille: Int
    /// With something in them.
    package let days: Int
    /// Of which 90 % of the cap or more counts.
    package let daysNearCap: Int
    /// Before the cap.
    package let longestDaySeconds: Int
    /// Timed, and begun in the month.
    package let intervals: Int
    /// The length that most of them have, to the second; nil without any.
    @OrNull package var commonestLengthSeconds: Int?
    package let commonestLengthCount: Int
    /// What stands out: `near_cap`, `regular_lengths`, `high_manual_share`, as the schema decides.
    package let signals: [String]
}
