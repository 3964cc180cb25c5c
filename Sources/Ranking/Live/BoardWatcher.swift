import Accounts
import Groups
import HTTP
import Postgres
import Time

/// Somebody who watches one board, and what they have seen of it.
struct BoardWatcher: Watching {
    let stream: EventStream
    let signIn: ID
    let request: BoardRequest
    var reader: ID { request.reader }
    /// Fingerprint of the board that was sent last.
    var shown: Int?
    /// Whether they have had their first board; the rounds send nothing before it.
    var isReady = false
    /// Whether their board could not be sent.
    var isDue = false

    init(_ request: BoardRequest, _ caller: Caller, _ stream: EventStream) {
        self.stream = stream
        self.request = request
        signIn = caller.signIn
    }
}

/// The id of an event. A client that has this event needs no new one until the board changes.
struct BoardVersion: LosslessStringConvertible {
    /// The change feed whose answers it counts.
    let feed: UInt32
    /// Whose view of which board it is; the same for the same within this process.
    let view: UInt32
    /// The answer up to which the board includes all changes.
    let number: Int
    /// When the board changes by itself.
    let turnsAt: Instant

    init(_ request: BoardRequest, _ feed: ChangeFeed, at position: ChangeFeed.Position, turnsAt: Instant) {
        self.feed = feed.tag
        view = request.view
        self.turnsAt = turnsAt
        number = position.number
    }

    init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, let feed = UInt32(parts[0]), let view = UInt32(parts[1]), let number = Int(parts[2]),
            let turnsAt = UInt32(parts[3])
        else { return nil }
        self.feed = feed
        self.view = view
        self.number = number
        self.turnsAt = Instant(secondsSince1970: Int(turnsAt))
    }

    var description: String { "\(feed)-\(view)-\(number)-\(turnsAt.secondsSince1970)" }
}

extension BoardRequest {
    fileprivate var view: UInt32 {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(reader)
        hasher.combine(limit)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
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
