import Groups
import HTTP
import Postgres
import Time

/// A mail of the outbox, without its reader and what it is filled with.
struct QueuedMail: Sendable, Encodable {
    /// Whether a mail is still to be sent.
    enum State: String, Sendable { case waiting, failed, sent }

    let id: ID
    let kind: String
    let state: String
    let createdAt: Instant
    /// When it is tried next, or was to be.
    let due: Instant
    let attempts: Int
    /// When it was sent, or failed for good.
    @OrNull var endedAt: Instant?
    /// What the mail server said last, without the address.
    @OrNull var lastError: String?
}

/// The figures of the service. Today is the study day of its own clock.
struct Figures: Sendable, Encodable {
    let asOf: Instant
    /// Accounts that are neither suspended nor about to be deleted.
    let users: Int
    let usersNewToday: Int
    /// Whose devices were seen today.
    let usersActiveToday: Int
    let usersOnGlobalBoard: Int
    let groups: Int
    let sessionsToday: Int
    let timersRunning: Int
    let mailsWaiting: Int
    let mailsFailed: Int
    /// Since when the first mail of the queue is due; nil when none waits.
    @OrNull var oldestMailDue: Instant?
    let reportsOpen: Int
    let suspensionsInForce: Int
}
