import API
import Accounts
import HTTP

/// What one wants to get done, task by task.
struct ProjectRoutes: Sendable {
    let projects: ProjectStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/projects", query: Paging.parameters.union(["archived"]), list),
            gate.user(.post, "/api/v1/me/projects", add),
            gate.user(.get, "/api/v1/me/projects/{id}", show),
            gate.user(.patch, "/api/v1/me/projects/{id}", change),
            gate.user(.delete, "/api/v1/me/projects/{id}", remove),
        ]
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await projects.all(of: caller.uid, Shelf(request), request.paging()))
    }

    private func add(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("name", "colour")
        let project = try await projects.add(
            Label.name(fields.string("name")), fields.optionalString("colour").map(Label.colour), of: caller.uid)
        return try .created(project, at: "/api/v1/me/projects/\(project.id)")
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await projects.find(request.uuid("id"), of: caller.uid))
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        let change = try LabelChange(request.json("name", "colour", "archived"))
        return try .json(await projects.change(id, of: caller.uid, change))
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        let archived = try await projects.remove(request.uuid("id"), of: caller.uid)
        return try archived.map { try .json($0) } ?? .noContent
    }
}
