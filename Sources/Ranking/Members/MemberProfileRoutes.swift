import API
import Accounts
import HTTP
import Time

/// What members see of one another over HTTP.
struct MemberProfileRoutes: Sendable {
    let profiles: MemberProfileStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/groups/{id}/members/{uid}", access: .member, profile),
            gate.user(.get, "/api/v1/groups/{id}/members/{uid}/days", access: .member, query: ["month"], days),
        ]
    }

    private func profile(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(
            await profiles.profile(of: request.uuid("uid"), in: request.uuid("id"), for: caller.uid))
    }

    private func days(_ request: Request, _ caller: Caller) async throws -> Response {
        try .writtenJSON(
            await profiles.month(
                request.month(), of: request.uuid("uid"), in: request.uuid("id"), for: caller.uid))
    }
}
