import API
import HTTP
import Postgres
import Time

/// Leaving the service: the account is deleted some days later, unless its owner comes back.
struct LeavingRoutes: Sendable {
    let gate: Gate
    let leaving: LeavingStore
    let profiles: ProfileStore
    let confirmation: Confirmation

    var routes: [Endpoint] {
        [
            gate.user(.delete, "/api/v1/me", whileLeaving: true, leave),
            gate.user(.post, "/api/v1/me/return", whileLeaving: true, comeBack),
        ]
    }

    /// When the account will be deleted.
    private struct Due: Encodable {
        let leavesAt: Instant
    }

    private func leave(_ request: Request, _ caller: Caller) async throws -> Response {
        let user = try await confirmation.require(request.json("password"), "password", request, caller)
        let due = Due(leavesAt: try await leaving.ask(user, by: caller, from: request.client.limitKey))
        return try .json(due, status: .accepted)
    }

    private func comeBack(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        try await leaving.comeBack(caller.uid, from: request.client.limitKey)
        return try .json(await profiles.find(caller.uid))
    }
}
