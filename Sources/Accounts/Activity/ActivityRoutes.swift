import API
import HTTP

/// What happened to one's own account.
struct ActivityRoutes: Sendable {
    let gate: Gate
    let activities: ActivityStore

    var routes: [Endpoint] { [gate.user(.get, "/api/v1/me/activity", query: Paging.parameters, list)] }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await activities.list(of: caller.uid, request.paging()))
    }
}
