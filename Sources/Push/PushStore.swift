import API
import Accounts
import HTTP
import Postgres
import Time

/// A user's browsers that receive pushes.
struct PushStore: Sendable {
    let database: Database

    struct Device: Encodable, Sendable {
        let id: ID
        /// The name that its sign-in has.
        @OrNull var device: String?
        let createdAt: Instant
        let current: Bool
    }

    func list(of caller: Caller) async throws -> [Device] {
        let rows = try await database.read(
            """
            SELECT p.id, s.device, p.created_at, p.sign_in = \(caller.signIn) AS current
            FROM push_subscriptions p JOIN sign_ins s ON s.uid = p.uid AND s.id = p.sign_in
            JOIN users u ON u.uid = p.uid AND u.auth_epoch = s.auth_epoch
            WHERE p.uid = \(caller.uid) AND s.expires_at > anthill_clock() ORDER BY p.created_at DESC, p.id
            """)
        return try rows.map { row in
            Device(
                id: try row["id"], device: try row["device"], createdAt: try row["created_at"],
                current: try row["current"])
        }
    }

    /// Adds this browser for the sign-in that asks, and answers its id.
    func add(_ browser: Subscription, for caller: Caller) async throws -> ID {
        try await Refusal.push.mapConstraints {
            try await database.write(
                """
                SELECT add_push_subscription(\(caller.uid), \(caller.signIn), \(browser.endpoint), \(browser.deviceKey),
                  \(browser.authentication))
                """
            ).one.decode(ID.self)
        }
    }

    /// false if the person has no such browser.
    func remove(_ id: ID, of uid: ID) async throws -> Bool {
        try await database.write(Self.forgetting(id, of: uid)).affected == 1
    }

    static func forgetting(_ id: ID, of uid: ID) -> Query {
        "DELETE FROM push_subscriptions WHERE uid = \(uid) AND id = \(id)"
    }

    /// Sends one to the browser of the sign-in that asks.
    func test(_ caller: Caller) async throws {
        _ = try await Refusal.push.mapConstraints {
            try await database.write("SELECT send_test_push(\(caller.uid), \(caller.signIn))")
        }
    }
}
