import API
import Accounts
import HTTP

/// Subjects or projects over HTTP.
struct LabelRoutes<Label: ColouredLabel>: Sendable {
    let labels: LabelStore<Label>
    let gate: Gate

    private var path: String { "/api/v1/me/\(Label.kind)s" }

    var routes: [Endpoint] {
        [
            gate.user(.get, path, query: Paging.parameters.union(["archived"]), list),
            gate.user(.post, path, add),
            gate.user(.get, path + "/{id}", show),
            gate.user(.patch, path + "/{id}", change),
            gate.user(.delete, path + "/{id}", remove),
        ]
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await labels.all(of: caller.uid, ArchivedFilter(request), request.paging()))
    }

    private func add(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("name", "colour")
        let label = try await labels.add(
            LabelText.name(fields.string("name")), fields.optionalString("colour").map(LabelText.colour),
            of: caller.uid)
        return try .created(label, at: "\(path)/\(label.id)")
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await labels.find(request.uuid("id"), of: caller.uid))
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        let change = try LabelChange(request.json("name", "colour", "archived"))
        return try .json(await labels.change(id, of: caller.uid, change))
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        let archived = try await labels.remove(request.uuid("id"), of: caller.uid)
        return try archived.map { try .json($0) } ?? .noContent
    }
}
