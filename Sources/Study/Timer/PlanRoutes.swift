import API
import Accounts
import HTTP

/// Plans of work and rest to start a timer with.
struct PlanRoutes: Sendable {
    let plans: PlanStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/plans", list),
            gate.user(.put, "/api/v1/me/plan", save),
            gate.user(.delete, "/api/v1/me/plans/{name}", delete),
        ]
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Plans(own: await plans.all(of: caller.uid)))
    }

    private func save(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json(Plan.fields)
        let plan = try Plan(fields)
        guard let name = plan.name else { throw Problem.missingField("name") }
        guard ![".", ".."].contains(name) else { throw Refusal.plans.nameOfDots }
        try await plans.save(plan, named: name, of: caller.uid)
        return try .json(plan)
    }

    private func delete(_ request: Request, _ caller: Caller) async throws -> Response {
        try await plans.delete(request.parameter("name"), of: caller.uid)
        return .noContent
    }
}
