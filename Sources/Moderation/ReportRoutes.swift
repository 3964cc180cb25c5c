import API
import Accounts
import Groups
import HTTP
import Postgres

/// Reports about people on boards.
struct ReportRoutes: Sendable {
    let reports: ReportStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.post, "/api/v1/reports", make),
            gate.user(.get, "/api/v1/me/reports", query: Paging.parameters, own),
            gate.user(.get, "/api/v1/me/reports/{report}", show),
            gate.user(
                .get, "/api/v1/admin/reports", access: .siteAdmin, query: Paging.parameters.union(["open"]), list),
            gate.user(.put, "/api/v1/admin/reports/{report}/answer", access: .siteAdmin, answer),
        ]
    }

    private func make(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("uid", "group_id", "reason")
        let (person, group) = (try fields.uuid("uid"), try fields.optionalUUID("group_id"))
        let reason = try GroupText.reason(fields.string("reason"))
        let id = try await reports.make(by: caller.uid, about: person, on: group, reason: reason)
        return try .created(await reports.one(id, of: caller.uid), at: "/api/v1/me/reports/\(id)")
    }

    private func own(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await reports.all(of: caller.uid, request.paging()))
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await reports.one(request.uuid("report"), of: caller.uid))
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let onlyOpen = Bool(request.query["open"] ?? "false") else { throw Problem.invalidQuery("open") }
        return try .json(await reports.all(for: caller.uid, onlyOpen: onlyOpen, request.paging()))
    }

    private func answer(_ request: Request, _ caller: Caller) async throws -> Response {
        let report = try request.uuid("report")
        try await reports.answer(report, by: caller.uid, GroupText.answer(request.json("answer").string("answer")))
        return try .json(await reports.answered(report))
    }
}
