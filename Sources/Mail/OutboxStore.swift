import Foundation
import Postgres
import Reactor
import Time

/// The mails that are to be sent, kept with the data they follow from.
package enum Outbox {
    /// Asks for a mail that anybody can ask for, in the transaction of its cause. `parameters` must hold no secret.
    ///
    /// The number of mails of a kind to one address is limited by `mail_pause`, `most_mails_an_hour` and
    /// `most_mails_a_day`. Mails above the limit are dropped without an error.
    package static func enqueue(_ kind: MailKind, to address: String, _ parameters: [String: String] = [:]) -> Query {
        "SELECT enqueue_mail(\(kind.rawValue), \(address), \(json(parameters)))"
    }

    /// The same for a mail that has to arrive: none is dropped.
    package static func tell(_ kind: MailKind, to address: String, _ parameters: [String: String] = [:]) -> Query {
        "SELECT tell_by_mail(\(kind.rawValue), \(address), \(json(parameters)))"
    }

    /// Removes what was sent or given up long ago.
    package static func cleaning(_ database: Database) -> Chore {
        Chore("remove old mail", every: .seconds(3600)) {
            try await database.write("SELECT FROM remove_old_mail()")
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

    /// Whether the mail server refused the address for good, and has taken nothing since.
    func isRefused(_ address: Mailbox) async throws -> Bool {
        try await database.read("SELECT is_refused_address(\(address.address))")[0].decode(Bool.self)
    }

    /// The item is done: it was sent to this address, or there was nothing to send.
    func finish(_ item: OutboxItem, sentTo address: Mailbox? = nil) async throws {
        let done: Query = """
            UPDATE mail_outbox SET sent_at = anthill_clock(), lease_until = NULL, last_error = NULL
            WHERE id = \(item.id) AND attempts = \(item.attempt) AND sent_at IS NULL AND dead_at IS NULL
            """
        _ = try await database.write(
            [done] + (address.map { ["SELECT note_reached_address(\($0.address))"] } ?? []))
    }

    /// The item is due again after `delay`, or dead where there is none. `refusal`: the server has refused the address for
    /// good, with this reply.
    func fail(
        _ item: OutboxItem, because reason: String, retryAfter delay: Duration?, refusal: (Mailbox, reply: Int)? = nil
    ) async throws {
        let failed: Query = """
            UPDATE mail_outbox
            SET due = anthill_clock() + make_interval(secs => \((delay ?? .zero).seconds)), lease_until = NULL,
              dead_at = CASE WHEN \(delay == nil) THEN anthill_clock() END, last_error = \(reason)
            WHERE id = \(item.id) AND attempts = \(item.attempt) AND sent_at IS NULL AND dead_at IS NULL
            """
        _ = try await database.write(
            [failed] + (refusal.map { ["SELECT note_refused_address(\($0.0.address), \($0.reply))"] } ?? []))
    }
}

/// Another worker may have taken the item over: it is theirs now.
struct LeaseLost: Error {}

extension Duration {
    fileprivate var seconds: Double { self / .seconds(1) }
}
