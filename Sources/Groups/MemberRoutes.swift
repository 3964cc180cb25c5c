import API
import Accounts
import HTTP

/// The members of a group: who they are, what they may do, and how they go.
struct MemberRoutes: Sendable {
    let members: MemberStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(
                .get, "/api/v1/groups/{id}/members", access: .member, query: Paging.parameters.union(["q"]), list),
            gate.user(.patch, "/api/v1/groups/{id}/members/me", access: .member, chooseVisibility),
            gate.user(.delete, "/api/v1/groups/{id}/members/me", access: .member, leave),
            gate.user(.patch, "/api/v1/groups/{id}/members/{uid}", access: .owner, changeRole),
            // Members may remove themselves; admins may remove others.
            gate.user(.delete, "/api/v1/groups/{id}/members/{uid}", access: .member, query: ["ban"], remove),
            gate.user(.get, "/api/v1/groups/{id}/bans", access: .admin, query: Paging.parameters, bans),
            gate.user(.delete, "/api/v1/groups/{id}/bans/{uid}", access: .admin, liftBan),
        ]
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        let named = request.query["q"].map(GroupText.searchTerm)
        return try .json(await members.all(in: request.uuid("id"), for: caller, named: named, request.paging()))
    }

    private func chooseVisibility(_ request: Request, _ caller: Caller) async throws -> Response {
        let group = try request.uuid("id")
        let text = try request.json("visibility").string("visibility")
        guard let visibility = Visibility(rawValue: text) else { throw Refusal.groups.invalidVisibility }
        try await members.setVisibility(visibility, of: caller.uid, in: group)
        return try .json(await members.membership(of: caller.uid, in: group))
    }

    private func changeRole(_ request: Request, _ caller: Caller) async throws -> Response {
        let (group, member) = (try request.uuid("id"), try request.uuid("uid"))
        guard let role = Role(rawValue: try request.json("role").string("role")) else {
            throw Refusal.groups.invalidRole
        }
        try await members.setRole(role, of: member, in: group, by: caller.uid)
        return try .json(await members.membership(of: member, in: group))
    }

    private func leave(_ request: Request, _ caller: Caller) async throws -> Response {
        try await members.remove(caller.uid, from: request.uuid("id"), by: caller.uid, ban: false)
        return .noContent
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        let ban =
            switch request.query["ban"] {
            case nil, "false": false
            case "true": true
            default: throw Problem.invalidQuery("ban")
            }
        try await members.remove(request.uuid("uid"), from: request.uuid("id"), by: caller.uid, ban: ban)
        return .noContent
    }

    private func bans(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await members.bans(in: request.uuid("id"), for: caller.uid, request.paging()))
    }

    private func liftBan(_ request: Request, _ caller: Caller) async throws -> Response {
        try await members.liftBan(on: request.uuid("uid"), in: request.uuid("id"), by: caller.uid)
        return .noContent
    }
}
