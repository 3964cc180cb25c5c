import API
import Groups
import HTTP
import Postgres
import Time

/// Somebody who looks at one board, and what they have seen of it.
struct BoardWatcher: Sendable {
    let stream: EventStream
    let reader: ID
    let signIn: ID
    let group: ID
    let period: Period
    let order: Leaderboard.Order
    let paging: Paging
    /// What all who watch the same board have in common.
    var key: BoardCache.Key {
        BoardCache.Key(group: group, order: order, length: period.length, firstDay: period.firstDay)
    }
    /// Until then the board stays within one study day.
    var dayEndsAt = Instant(secondsSince1970: .max)
    /// What they were sent last.
    var shown: Int?
    /// Whether they have had their first board; the rounds send nothing before it.
    var isReady = false
    /// Whether they missed something.
    var isDue = false

    func isDue(at time: Instant) -> Bool { isDue || time >= dayEndsAt }
}

extension Leaderboard {
    /// The same for the same content within this process; the instant it was asked for is no content.
    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(group?.name)
        hasher.combine(at)
        hasher.combine(state)
        hasher.combine(startsAt)
        hasher.combine(endsAt)
        hasher.combine(rules.timeZone)
        hasher.combine(rules.dayStartsAt)
        hasher.combine(rules.dailyCapSeconds)
        hasher.combine(rules.manualCounts)
        hasher.combine(participants)
        hasher.combine(days)
        hasher.combine(entries)
        hasher.combine(me)
        hasher.combine(next == nil)
        return hasher.finalize()
    }
}
