import API
import Foundation
import HTTP
import Postgres

/// The answers of requests that carried an Idempotency-Key.
struct IdempotencyStore: Sendable {
    let database: Database

    enum Claim: Sendable {
        /// The key is new: run the request, then call ``keep(_:as:)``.
        case ours
        /// The request was already executed, with this answer.
        case answered(Response)
    }

    /// Takes the key in the running transaction; waits for a concurrent request with the same key, up to two
    /// seconds. Throws ``AccountsRefusals/idempotencyKeyReused`` and ``AccountsRefusals/requestInFlight``.
    func claim(_ key: IdempotencyKey) async throws -> Claim {
        let rows: [Rows]
        do {
            rows = try await database.write([
                "SET LOCAL lock_timeout = '2s'",
                """
                DELETE FROM idempotency_keys
                WHERE uid = \(key.uid) AND route = \(key.route) AND key = \(key.key)
                  AND created_at <= anthill_clock() - idempotency_keys_kept()
                """,
                """
                INSERT INTO idempotency_keys (uid, route, key, body_sha256)
                VALUES (\(key.uid), \(key.route), \(key.key), \(key.fingerprint))
                ON CONFLICT (uid, route, key) DO NOTHING RETURNING key
                """,
                "SET LOCAL lock_timeout TO DEFAULT",
                """
                SELECT body_sha256, status, location, answer FROM idempotency_keys
                WHERE uid = \(key.uid) AND route = \(key.route) AND key = \(key.key)
                """,
            ])
        } catch let error as PostgresError where error.sqlstate == "55P03" {
            throw Refusal.accounts.requestInFlight
        }
        if !rows[2].isEmpty { return .ours }
        // The other request's row was rolled back between the two statements.
        guard let row = rows[4].first else { throw Refusal.accounts.requestInFlight }
        guard try row["body_sha256"] == key.fingerprint else { throw Refusal.accounts.idempotencyKeyReused }
        var response = Response(Status(try row["status"]))
        if let location: String = try row["location"] { response.headers.add("Location", location) }
        if let answer: [UInt8] = try row["answer"] {
            response.headers.add("Content-Type", "application/json")
            response.body = .bytes(answer)
        }
        return .answered(response)
    }

    /// Keeps the answer, in the transaction of its effect.
    func keep(_ response: Response, as key: IdempotencyKey) async throws {
        _ = try await database.write(
            """
            UPDATE idempotency_keys
            SET status = \(response.status.code), location = \(response.headers["Location"]), answer = \(response.body.content)
            WHERE uid = \(key.uid) AND route = \(key.route) AND key = \(key.key)
            """)
    }
}
