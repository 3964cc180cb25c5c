import API
import Accounts
import HTTP
import Outgoing
import Postgres

/// The addresses that a group tells of what happens in it.
struct WebhookRoutes: Sendable {
    let gate: Gate
    let store: WebhookStore
    let web: WebClient

    private static let path = "/api/v1/groups/{id}/webhooks"

    var routes: [Endpoint] {
        let one = "\(Self.path)/{webhook}"
        return [
            gate.user(.get, Self.path, access: .admin, list),
            gate.user(.post, Self.path, access: .admin, idempotent: false, add),
            gate.user(.patch, one, access: .admin, change),
            gate.user(.delete, one, access: .admin, remove),
            gate.user(.post, "\(one)/tests", access: .admin, test),
            gate.user(.get, "\(one)/deliveries", access: .admin, query: Paging.parameters, deliveries),
        ]
    }

    /// A new webhook: the only time its secret is seen.
    private struct Made: Encodable {
        let id: ID
        /// nil where the receiver checks no signature.
        let secret: String?
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Page(items: await store.list(of: request.uuid("id"), for: caller.uid), next: nil))
    }

    private func add(_ request: Request, _ caller: Caller) async throws -> Response {
        let (group, wanted) = (try request.uuid("id"), try WantedWebhook(request, web))
        let id = try await store.add(wanted, to: group, by: caller.uid)
        let made = Made(id: id, secret: wanted.kind == .json ? store.secrets.signingSecret(of: id) : nil)
        return try .created(made, at: "/api/v1/groups/\(group)/webhooks/\(id)").notStored()
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("events", "active")
        try await store.change(
            request.uuid("webhook"), of: request.uuid("id"),
            events: fields.optionalTexts("events") { $0 }.map(WantedWebhook.events),
            active: fields.optionalBool("active"), by: caller.uid)
        return .noContent
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        try await store.remove(request.uuid("webhook"), of: request.uuid("id"), by: caller.uid)
        return .noContent
    }

    private func test(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        try await store.test(request.uuid("webhook"), of: request.uuid("id"), by: caller.uid)
        return .accepted
    }

    private func deliveries(_ request: Request, _ caller: Caller) async throws -> Response {
        let group = try request.uuid("id")
        return try .json(
            await store.deliveries(request.uuid("webhook"), of: group, for: caller.uid, request.paging()))
    }
}
