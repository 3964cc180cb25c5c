import API
import Accounts
import HTTP

/// Groups themselves: founding, changing, handing over and deleting them.
struct GroupRoutes: Sendable {
    let groups: GroupStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.post, "/api/v1/groups", create),
            gate.user(.get, "/api/v1/groups", query: Paging.parameters, list),
            gate.user(.get, "/api/v1/groups/{id}", access: .member, show),
            gate.user(.patch, "/api/v1/groups/{id}", access: .admin, change),
            gate.user(.delete, "/api/v1/groups/{id}", access: .owner, delete),
            gate.user(.post, "/api/v1/groups/{id}/transfer", access: .owner, transfer),
        ]
    }

    private func create(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json(WantedGroup.names)
        let name = try GroupText.name(fields.string("name"))
        let id = try await groups.create(owner: caller.uid, name: name, WantedGroup(fields))
        return try .created(await groups.details(id, for: caller.uid), at: "/api/v1/groups/\(id)")
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await groups.all(of: caller.uid, request.paging()))
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await groups.details(request.uuid("id"), for: caller.uid))
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        try await groups.change(id, by: caller.uid, WantedGroup(request.json(WantedGroup.names)))
        return try .json(await groups.details(id, for: caller.uid))
    }

    private func delete(_ request: Request, _ caller: Caller) async throws -> Response {
        try await groups.delete(request.uuid("id"), by: caller.uid)
        return .noContent
    }

    /// Makes the heir an owner and the caller an admin.
    private func transfer(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        try await groups.transfer(id, from: caller.uid, to: request.json("uid").uuid("uid"))
        return try .json(await groups.details(id, for: caller.uid))
    }
}
