import API
import Accounts
import HTTP

/// What one studies, by subject.
struct SubjectRoutes: Sendable {
    let subjects: SubjectStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/subjects", query: Paging.parameters.union(["archived"]), list),
            gate.user(.post, "/api/v1/me/subjects", add),
            gate.user(.get, "/api/v1/me/subjects/{id}", show),
            gate.user(.patch, "/api/v1/me/subjects/{id}", change),
            gate.user(.delete, "/api/v1/me/subjects/{id}", remove),
        ]
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await subjects.all(of: caller.uid, Shelf(request), request.paging()))
    }

    private func add(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("name", "colour")
        let subject = try await subjects.add(
            Label.name(fields.string("name")), fields.optionalString("colour").map(Label.colour), of: caller.uid)
        return try .created(subject, at: "/api/v1/me/subjects/\(subject.id)")
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await subjects.find(request.uuid("id"), of: caller.uid))
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        let change = try LabelChange(request.json("name", "colour", "archived"))
        return try .json(await subjects.change(id, of: caller.uid, change))
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        let archived = try await subjects.remove(request.uuid("id"), of: caller.uid)
        return try archived.map { try .json($0) } ?? .noContent
    }
}
