import API
import Foundation
import HTTP
import Postgres
import Time

/// A push that is due, with the browser that it is for.
struct WaitingPush: Sendable {
    let id: ID
    let kind: String
    let topic: String
    let parameters: [String: String]
    let language: Language
    let uid: ID
    let subscription: ID
    let endpoint: String
    let deviceKey: [UInt8]
    let authentication: [UInt8]
    /// 1 for the first attempt. With the id it is the proof of holding the lease.
    let attempt: Int
    let expiresAt: Instant
    /// `anthill_clock()` when it was claimed.
    let now: Instant

    /// How long it is still worth something.
    var secondsLeft: Int { expiresAt - now }
}

/// The outbox as the worker sees it: rows are claimed on a lease, as those of mail are, and go when they are done.
struct PushOutbox: Sendable {
    let database: Database

    func claim(_ most: Int, lease: Duration) async throws -> [WaitingPush] {
        let rows = try await database.write(
            "SELECT * FROM claim_pushes(\(most), make_interval(secs => \(lease / .seconds(1))))")
        return try rows.map { row in
            let text: String = try row["parameters"]
            return WaitingPush(
                id: try row["id"], kind: try row["kind"], topic: try row["topic"],
                parameters: (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:],
                language: try row["locale"], uid: try row["uid"],
                subscription: try row["subscription"], endpoint: try row["endpoint"],
                deviceKey: try row["device_key"], authentication: try row["authentication"],
                attempt: try row["attempt"], expiresAt: try row["expires_at"], now: try row["now"])
        }
    }

    /// It was sent, or it is given up.
    func remove(_ push: WaitingPush) async throws {
        _ = try await database.write(
            """
            DELETE FROM push_outbox WHERE uid = \(push.uid) AND subscription = \(push.subscription)
              AND topic = \(push.topic) AND id = \(push.id) AND attempts = \(push.attempt)
            """)
    }

    /// It is due again after `delay`.
    func postpone(_ push: WaitingPush, by delay: Duration, because reason: String) async throws {
        _ = try await database.write(
            """
            UPDATE push_outbox SET due = anthill_clock() + make_interval(secs => \(delay / .seconds(1))),
              lease_until = NULL, last_error = \(reason)
            WHERE uid = \(push.uid) AND subscription = \(push.subscription) AND topic = \(push.topic)
              AND id = \(push.id) AND attempts = \(push.attempt)
            """)
    }

    /// The browser has taken back its permission, or is gone; what waits for it goes, too.
    func forgetBrowser(of push: WaitingPush) async throws {
        _ = try await database.write(PushStore.forgetting(push.subscription, of: push.uid))
    }
}
