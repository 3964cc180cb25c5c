import Foundation
import Postgres
import Reactor
import Time

/// The mails that are to be sent, kept with the data they follow from.
package enum Outbox {
    /// Asks for a mail, in the transaction of its cause. `parameters` must hold no secret.
    ///
    /// One address gets one mail of a kind in 60 s, five an hour, ten a day; more are dropped, and nothing shows it.
    package static func enqueue(_ kind: MailKind, to address: String, _ parameters: [String: String] = [:]) -> Query {
        "SELECT enqueue_mail(\(kind.rawValue), \(address), \(json(parameters)))"
    }

    /// Removes what was sent 30 days ago: nobody asks for it any more, and it holds people's addresses.
    package static func cleaning(_ database: Database) -> Chore {
        Chore("remove old mail", every: .seconds(3600)) {
            try await database.write("DELETE FROM mail_outbox WHERE sent_at <= anthill_clock() - interval '30 days'")
        }
    }

    private static func json(_ parameters: [String: String]) -> String {
        guard let data = try? JSONEncoder().encode(parameters) else { preconditionFailure("strings are always JSON") }
        return String(decoding: data, as: UTF8.self)
    }
}

/// The outbox as the worker sees it: rows are claimed on a lease, so several instances share the work and a crash
/// loses none.
struct OutboxStore: Sendable {
    let database: Database

    /// At most `limit` due items of these kinds, each ours until the lease runs out.
    func claim(_ kinds: [MailKind], limit: Int, lease: Duration) async throws -> [OutboxItem] {
        let rows = try await database.write(
            """
            WITH due AS MATERIALIZED (
              SELECT id FROM mail_outbox
              WHERE sent_at IS NULL AND dead_at IS NULL AND due <= anthill_clock()
                AND (lease_until IS NULL OR lease_until <= anthill_clock()) AND kind = ANY(\(kinds.map(\.rawValue)))
              ORDER BY due LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            UPDATE mail_outbox o
            SET attempts = attempts + 1, lease_until = anthill_clock() + make_interval(secs => \(lease.seconds))
            FROM due WHERE o.id = due.id
            RETURNING o.id, o.kind, o.to_address, o.parameters::text AS parameters, o.attempts, anthill_clock() AS now
            """)
        return try rows.map { row in
            // A row that somebody wrote by hand must not hold up the others.
            let text: String = try row["parameters"]
            let parameters = (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
            return OutboxItem(
                id: try row["id"], kind: MailKind(rawValue: try row["kind"]), to: try row["to_address"],
                parameters: parameters, attempt: try row["attempts"], now: try row["now"])
        }
    }

    /// Commits what a message needs before it leaves, and takes the whole lease again. Throws ``LeaseLost`` with
    /// nothing committed if the item is no longer ours.
    func commit(_ queries: [Query], for item: OutboxItem, lease: Duration) async throws {
        try await database.transaction {
            let held = try await database.write(
                """
                UPDATE mail_outbox SET lease_until = anthill_clock() + make_interval(secs => \(lease.seconds))
                WHERE id = \(item.id) AND attempts = \(item.attempt) AND sent_at IS NULL AND dead_at IS NULL
                  AND lease_until > anthill_clock()
                """)
            guard held.affected == 1 else { throw LeaseLost() }
            if !queries.isEmpty { _ = try await database.write(queries) }
        }
    }

    /// The item is done, whether it was sent or there was nothing to send.
    func finish(_ item: OutboxItem) async throws {
        _ = try await database.write(
            """
            UPDATE mail_outbox SET sent_at = anthill_clock(), lease_until = NULL, last_error = NULL
            WHERE id = \(item.id) AND attempts = \(item.attempt) AND sent_at IS NULL AND dead_at IS NULL
            """)
    }

    /// The item is due again after `delay`, or dead where there is none.
    func fail(_ item: OutboxItem, because reason: String, retryAfter delay: Duration?) async throws {
        _ = try await database.write(
            """
            UPDATE mail_outbox
            SET due = anthill_clock() + make_interval(secs => \((delay ?? .zero).seconds)), lease_until = NULL,
              dead_at = CASE WHEN \(delay == nil) THEN anthill_clock() END, last_error = \(reason)
            WHERE id = \(item.id) AND attempts = \(item.attempt) AND sent_at IS NULL AND dead_at IS NULL
            """)
    }
}

/// Another worker may have taken the item over: it is theirs now.
struct LeaseLost: Error {}

extension Duration {
    fileprivate var seconds: Double { self / .seconds(1) }
}
