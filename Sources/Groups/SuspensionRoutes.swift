import API
import Accounts
import HTTP
import Postgres

/// Suspensions from a group's boards, and what was done in a group.
struct SuspensionRoutes: Sendable {
    let suspensions: SuspensionStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.post, "/api/v1/groups/{id}/suspensions", access: .admin, suspend),
            // Admins all, a member their own.
            gate.user(.get, "/api/v1/groups/{id}/suspensions", access: .member, query: Paging.parameters, list),
            gate.user(.get, "/api/v1/groups/{id}/suspensions/{suspension}", access: .member, show),
            gate.user(.delete, "/api/v1/groups/{id}/suspensions/{suspension}", access: .admin, lift),
            // The member concerned.
            gate.user(.put, "/api/v1/groups/{id}/suspensions/{suspension}/answer", access: .member, answer),
            gate.user(.get, "/api/v1/groups/{id}/audit", access: .admin, query: Paging.parameters, audit),
        ]
    }

    private func suspend(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("uid", "reason", "until")
        let (group, member) = (try request.uuid("id"), try fields.uuid("uid"))
        let reason = try GroupText.reason(fields.string("reason"))
        let until = try fields.instant("until")
        let id = try await suspensions.suspend(member, from: group, by: caller.uid, reason: reason, until: until)
        return try .created(
            await suspensions.one(id, of: group, for: caller.uid),
            at: "/api/v1/groups/\(group)/suspensions/\(id)")
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await suspensions.all(of: request.uuid("id"), for: caller.uid, request.paging()))
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await suspensions.one(request.uuid("suspension"), of: request.uuid("id"), for: caller.uid))
    }

    private func lift(_ request: Request, _ caller: Caller) async throws -> Response {
        try await suspensions.lift(request.uuid("suspension"), in: request.uuid("id"), by: caller.uid)
        return .noContent
    }

    private func answer(_ request: Request, _ caller: Caller) async throws -> Response {
        let (group, suspension) = (try request.uuid("id"), try request.uuid("suspension"))
        let answer = try GroupText.answer(request.json("answer").string("answer"))
        try await suspensions.answer(suspension, in: group, by: caller.uid, answer)
        return try .json(await suspensions.one(suspension, of: group, for: caller.uid))
    }

    private func audit(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await suspensions.events(in: request.uuid("id"), for: caller.uid, request.paging()))
    }
}
