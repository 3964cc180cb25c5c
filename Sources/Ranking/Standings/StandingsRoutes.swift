import API
import Accounts
import Groups
import HTTP
import Postgres
import Time

/// Closed months over HTTP.
struct StandingsRoutes: Sendable {
    let standings: StandingsStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/standings", mayLag: Gate.always, own),
            gate.user(
                .get, "/api/v1/groups/{id}/standings", access: .member, query: Paging.parameters,
                mayLag: Gate.always, list),
            gate.user(.get, "/api/v1/groups/{id}/standings/{month}", access: .member, mayLag: Gate.always, show),
            gate.user(
                .get, "/api/v1/groups/{id}/standings/{month}/podium.svg", access: .member, mayLag: Gate.always, podium),
            gate.user(.post, "/api/v1/groups/{id}/standings/{month}/amendments", access: .admin, amend),
            gate.user(.get, "/api/v1/groups/{id}/hall-of-fame", access: .member, mayLag: Gate.always, champions),
            gate.anyone(
                .get, "/api/v1/groups/{id}/public-standings", query: Paging.parameters, mayLag: true, listInPublic),
            gate.anyone(.get, "/api/v1/groups/{id}/public-standings/{month}", mayLag: true, showInPublic),
        ]
    }

    private struct Items<Item: Encodable>: Encodable {
        let items: [Item]
    }

    private func own(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Items(items: await standings.own(caller.uid)))
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await standings.all(of: request.uuid("id"), for: caller.uid, request.paging()))
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await standings.standings(of: request.uuid("id"), month(request), for: caller.uid))
    }

    private func listInPublic(_ request: Request) async throws -> Response {
        try await standings.requirePublic(request.uuid("id"))
        return try .json(await standings.inPublic(of: request.uuid("id"), request.paging()))
    }

    private func showInPublic(_ request: Request) async throws -> Response {
        try await standings.requirePublic(request.uuid("id"))
        return try .json(await standings.standings(of: request.uuid("id"), month(request), for: nil))
    }

    private func podium(_ request: Request, _ caller: Caller) async throws -> Response {
        let shown = try await standings.standings(of: request.uuid("id"), month(request), for: caller.uid)
        var response = Response.text(
            PodiumPicture(shown, language: request.language).svg, type: "image/svg+xml; charset=utf-8")
        response.headers.set("Content-Disposition", "inline; filename=\"anthill-\(shown.month).svg\"")
        return response
    }

    private func amend(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("uid", "seconds", "reason")
        let (group, month) = (try request.uuid("id"), try month(request))
        let (member, seconds) = (try fields.uuid("uid"), try fields.int("seconds"))
        guard let reason = PlainText.line(try fields.string("reason"), atMost: 500) else {
            throw Refusal.ranking.invalidReason
        }
        try await standings.amend(group, month, member, seconds: seconds, reason: reason, by: caller.uid)
        return try .created(
            await standings.standings(of: group, month, for: caller.uid),
            at: "/api/v1/groups/\(group)/standings/\(month.monthText)")
    }

    private func champions(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Items(items: await standings.champions(of: request.uuid("id"), for: caller.uid)))
    }

    private func month(_ request: Request) throws -> Day {
        guard let month = Day(month: request.parameter("month")) else { throw Refusal.ranking.standingsNotFound }
        return month
    }
}
