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

/// The id of an event. A client that has this event needs no new one until `until`, unless the board has changed since
/// `snapshot`.
struct BoardVersion: LosslessStringConvertible {
    let until: Instant
    let snapshot: String

    /// Of a board that was read at this position and changes by itself at `turnsAt`.
    init(_ position: ChangeFeed.Position, turnsAt: Instant) {
        // A minute later the database no longer knows all changes.
        until = min(position.time + 60, turnsAt)
        snapshot = position.snapshot
    }

    init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = UInt32(parts[0]), Self.isSnapshot(parts[1]) else { return nil }
        until = Instant(secondsSince1970: Int(seconds))
        snapshot = String(parts[1])
    }

    /// Whether PostgreSQL takes it for a snapshot, too: `xmin:xmax:` and, in their order, those under way.
    private static func isSnapshot(_ text: Substring) -> Bool {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false)
        guard numbers.count == 3, let first = Int(numbers[0]), let end = Int(numbers[1]), 0 < first, first <= end
        else { return false }
        var last = first - 1
        for text in numbers[2].split(separator: ",", omittingEmptySubsequences: numbers[2].isEmpty) {
            guard let number = Int(text), last < number, number < end else { return false }
            last = number
        }
        return true
    }

    var description: String { "\(until.secondsSince1970)-\(snapshot)" }

    func isKnown(at now: Instant) -> Bool { (1...60).contains(until - now) }
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
