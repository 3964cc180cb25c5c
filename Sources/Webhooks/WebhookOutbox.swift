import API
import HTTP
import Postgres
import Time

/// A delivery that is due, with the webhook that it is for.
struct WaitingDelivery: Sendable {
    let group: ID
    let webhook: ID
    let id: ID
    let event: String
    let kind: WebhookKind
    let language: Language
    let sealedAddress: [UInt8]
    /// What the event says, as the database knows it now: an object of JSON.
    let data: String
    let createdAt: Instant
    /// 1 for the first attempt. With the id it is the proof of holding the lease.
    let attempt: Int
    /// `anthill_clock()` when it was claimed.
    let now: Instant
}

/// The outbox as the worker sees it: rows are claimed on a lease, as those of mail are, and stay as the log.
struct WebhookOutbox: Sendable {
    let database: Database

    func claim(_ most: Int, lease: Duration) async throws -> [WaitingDelivery] {
        let rows = try await database.write(
            "SELECT * FROM claim_webhooks(\(most), make_interval(secs => \(lease / .seconds(1))))")
        return try rows.map { row in
            WaitingDelivery(
                group: try row["group_id"], webhook: try row["webhook"], id: try row["id"], event: try row["event"],
                kind: WebhookKind(rawValue: try row["kind"]) ?? .json,
                language: try row["locale"], sealedAddress: try row["sealed_address"],
                data: try row["data"], createdAt: try row["created_at"],
                attempt: try row["attempt"], now: try row["now"])
        }
    }

    /// How an attempt ended.
    struct Outcome: Sendable {
        var wasTaken = false
        /// There is no such address any more, or nobody can open it.
        var isGone = false
        /// The status of the answer; nil if none came.
        var status: Int?
        /// Why it did not arrive; nil if the receiver's answer says it.
        var failure: WebhookFailure?
        /// What the receiver said, or what libcurl says of a failure that has no name of its own.
        var words: String?
        /// The least wait that the receiver asked for.
        var wait: Duration?
    }

    /// Writes down how an attempt ended; it is made again after `delay`, or given up without one.
    func end(_ delivery: WaitingDelivery, _ outcome: Outcome, retryAfter delay: Duration?) async throws {
        _ = try await database.write(
            """
            SELECT end_webhook_attempt(\(delivery.group), \(delivery.webhook), \(delivery.id), \(delivery.attempt),
              \(outcome.wasTaken), \(outcome.isGone), make_interval(secs => \(delay.map { $0 / .seconds(1) })),
              \(outcome.failure?.rawValue), \(outcome.status), \(outcome.words))
            """)
    }
}
