import API
import Groups
import HTTP
import Postgres

/// Webhooks of groups in the database; all for admins of the group.
struct WebhookStore: Sendable {
    let database: Database
    let secrets: WebhookSecrets

    func list(of group: ID, for actor: ID) async throws -> [Webhook] {
        try await read(
            """
            SELECT id, kind, events, host, locale, created_at, off_because, off_since
            FROM webhooks_of(\(actor), \(group))
            """
        ).map { row in
            Webhook(
                id: try row["id"], kind: try row["kind"], events: try row["events"], host: try row["host"],
                locale: try row["locale"], createdAt: try row["created_at"], offBecause: try row["off_because"],
                offSince: try row["off_since"])
        }
    }

    func add(_ wanted: WantedWebhook, to group: ID, by actor: ID) async throws -> ID {
        let id = ID()
        try await write(
            """
            SELECT add_webhook(\(actor), \(group), \(id), \(wanted.kind.rawValue), \(wanted.events.map(\.rawValue)),
              \(wanted.host), \(secrets.seal(wanted.url)), \(wanted.language.rawValue))
            """)
        return id
    }

    func change(_ id: ID, of group: ID, events: [WebhookEvent]?, active: Bool?, by actor: ID) async throws {
        try await write(
            "SELECT change_webhook(\(actor), \(group), \(id), \(events.map { $0.map(\.rawValue) }), \(active))")
    }

    func remove(_ id: ID, of group: ID, by actor: ID) async throws {
        try await write("SELECT remove_webhook(\(actor), \(group), \(id))")
    }

    func test(_ id: ID, of group: ID, by actor: ID) async throws {
        try await write("SELECT test_webhook(\(actor), \(group), \(id))")
    }

    /// What it was told lately, the latest first.
    func deliveries(_ id: ID, of group: ID, for actor: ID, _ paging: Paging) async throws -> Page<WebhookDelivery> {
        let after = try paging.instantAndID()
        let rows = try await read(
            """
            SELECT id, event, created_at, attempts, tried_at, failure, status, answer,
              CASE WHEN sent_at IS NOT NULL THEN 'sent' WHEN dead_at IS NOT NULL THEN 'failed' ELSE 'waiting' END AS state,
              CASE WHEN sent_at IS NULL AND dead_at IS NULL THEN due END AS next_at
            FROM deliveries_of(\(actor), \(group), \(id), \(after?.instant), \(after?.id), \(paging.limit + 1))
            """)
        return try Page(rows, paging, by: "created_at", "id") { row in
            WebhookDelivery(
                id: try row["id"], event: try row["event"], state: try row["state"], createdAt: try row["created_at"],
                attempts: try row["attempts"], triedAt: try row["tried_at"], nextAt: try row["next_at"],
                failure: try row["failure"], status: try row["status"], answer: try row["answer"])
        }
    }

    private func read(_ query: Query) async throws -> Rows {
        try await Refusal.groups.mapConstraints {
            try await Refusal.webhooks.mapConstraints { try await database.read(query) }
        }
    }

    private func write(_ query: Query) async throws {
        _ = try await Refusal.groups.mapConstraints {
            try await Refusal.webhooks.mapConstraints { try await database.write(query) }
        }
    }
}
