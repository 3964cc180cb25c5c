import Groups
import HTTP
import Postgres
import Time

/// What one person's number on a board is made of: days, their intervals, and what the rules left out of them.
///
/// The days' `countedSeconds` and `amendedSeconds` add up to `seconds`, the figure on the board.
package struct Explanation: Sendable, Encodable {
    /// nil on the global board.
    @OrNull package var group: Leaderboard.Group?
    package let period: Period.Length
    package let at: String
    package let rules: Rules
    package let startsAt: Instant
    package let endsAt: Instant
    /// Empty on the global board.
    package let clockChanges: [ClockChange]
    package let state: Leaderboard.State
    package let asOf: Instant
    package let uid: ID
    package let nickname: String
    /// nil if they are not on this board.
    @OrNull package var rank: Int?
    package let seconds: Int
    /// How many of them are there only because of time written down by hand.
    package let manualSeconds: Int
    /// What the cap left out, in all.
    package let cutByCap: Int
    /// Time by hand on a board that does not count it.
    package let notCountedSeconds: Int
    /// What an admin's amendments added to a closed month, or took away when negative.
    package let amendedSeconds: Int
    /// The newest first.
    package let days: [Day]

    /// One study day of the board's clock, `[startsAt, endsAt)`.
    package struct Day: Sendable, Encodable {
        package let day: Time.Day
        package let startsAt: Instant
        package let endsAt: Instant
        package let seconds: Int
        package let manualSeconds: Int
        package let countedSeconds: Int
        package let cutByCap: Int
        package let notCountedSeconds: Int
        package let parts: [Part]
    }

    /// What of an interval lies in a day; `startedAt` and `endedAt` are those of the whole interval.
    package struct Part: Sendable, Encodable {
        package let intervalID: ID
        package let sessionID: ID
        package let startedAt: Instant
        /// nil while it runs.
        @OrNull package var endedAt: Instant?
        package let source: String
        package let seconds: Int
    }
}
