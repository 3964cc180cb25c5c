import API
import Accounts
import HTTP
import Postgres

/// Tasks, with estimated and actual time.
struct TaskRoutes: Sendable {
    let tasks: LabelStore<StudyTask>
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/tasks", query: Paging.parameters.union(["archived", "done", "project"]), list),
            gate.user(.post, "/api/v1/me/tasks", add),
            gate.user(.get, "/api/v1/me/tasks/{id}", show),
            gate.user(.patch, "/api/v1/me/tasks/{id}", change),
            gate.user(.delete, "/api/v1/me/tasks/{id}", remove),
        ]
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        let project = try request.query["project"].map { text in
            guard let id = ID(text) else { throw Refusal.labels.unknownProject.at("project") }
            return id
        }
        let isDone = try request.query["done"].map { text in
            guard let isDone = Bool(text) else { throw Refusal.labels.invalidDone }
            return isDone
        }
        let page = try await tasks.all(
            of: caller.uid, ArchivedFilter(request), in: project, isDone: isDone, request.paging())
        if page.items.isEmpty, let project { try await tasks.require(project, of: caller.uid) }
        return try .json(page)
    }

    private func add(_ request: Request, _ caller: Caller) async throws -> Response {
        let draft = try TaskDraft(request.json("title", "estimate_seconds", "project_ids"))
        let task = try await tasks.add(draft, of: caller.uid)
        return try .created(task, at: "/api/v1/me/tasks/\(task.id)")
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await tasks.find(request.uuid("id"), of: caller.uid))
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        let change = try TaskChange(request.json("title", "estimate_seconds", "project_ids", "done", "archived"))
        return try .json(await tasks.change(id, of: caller.uid, change))
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        let archived = try await tasks.remove(request.uuid("id"), of: caller.uid)
        return try archived.map { try .json($0) } ?? .noContent
    }
}
