import API
import Accounts
import HTTP

/// Study time by subject, project or task.
struct TotalsRoutes: Sendable {
    let totals: TotalsStore
    let gate: Gate

    var routes: [Endpoint] { [gate.user(.get, "/api/v1/me/totals", query: ["by", "from", "to"], show)] }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let kind = Totals.Kind(rawValue: request.query["by"] ?? "subject") else { throw Refusal.labels.invalidBy }
        let (from, to) = try request.studyDays()
        return try .json(await totals.totals(of: caller.uid, by: kind, from: from, to: to))
    }
}
