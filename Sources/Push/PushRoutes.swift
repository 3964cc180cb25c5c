import API
import Accounts
import HTTP
import Outgoing

/// On which devices somebody gets pushes.
struct PushRoutes: Sendable {
    let gate: Gate
    let store: PushStore
    let vapid: Vapid
    let web: WebClient

    var routes: [Endpoint] {
        [
            gate.anyone(.get, "/api/v1/push/key", key),
            gate.user(.get, "/api/v1/me/push-subscriptions", list),
            gate.user(.post, "/api/v1/me/push-subscriptions", add),
            gate.user(.delete, "/api/v1/me/push-subscriptions/{id}", remove),
            gate.user(.post, "/api/v1/me/push-tests", test),
        ]
    }

    private func key(_ request: Request) async throws -> Response { try .json(["public_key": vapid.publicKey]) }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Page(items: await store.list(of: caller), next: nil))
    }

    private func add(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try await store.add(Subscription(request, web), for: caller)
        return try .created(["id": id], at: "/api/v1/me/push-subscriptions/\(id)")
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        guard try await store.remove(request.uuid("id"), of: caller.uid) else { throw Problem.notFound }
        return .noContent
    }

    private func test(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        try await store.test(caller)
        return .accepted
    }
}
