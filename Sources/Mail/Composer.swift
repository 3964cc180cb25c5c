import Postgres
import Time

/// What a mail is about: it chooses the composer, and limits count by it. Each feature names its own.
package struct MailKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// A mail that is due, as its composer sees it.
package struct OutboxItem: Sendable {
    package let id: ID
    package let kind: MailKind
    package let to: String
    package let parameters: [String: String]
    /// 1 for the first attempt. A number is never used again, so it is also the proof of holding the lease.
    package let attempt: Int
    /// `anthill_clock()` when the item was claimed.
    package let now: Instant
}

/// Decides at the moment of sending what an item becomes; nil when there is nothing to send.
///
/// It is asked anew for each attempt, so a retry carries a fresh token and no raw token is ever stored.
package typealias Composer = @Sendable (OutboxItem) async throws -> Composition?

/// A message, and what must be durable before it leaves, such as the MAC of the token in it.
package struct Composition: Sendable {
    package let message: Message
    package let commit: [Query]

    package init(_ message: Message, commit: [Query] = []) {
        self.message = message
        self.commit = commit
    }
}
