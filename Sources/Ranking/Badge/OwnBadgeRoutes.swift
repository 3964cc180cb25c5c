import API
import Accounts
import HTTP
import Postgres

/// One's own badge, under a secret address.
struct OwnBadgeRoutes: Sendable {
    let badges: OwnBadgeStore
    let gate: Gate
    let baseURL: String

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/badge", show),
            gate.user(.post, "/api/v1/me/badge", idempotent: false, make),
            gate.user(.patch, "/api/v1/me/badge", change),
            gate.user(.delete, "/api/v1/me/badge", end),
            // The file is the secret and ".svg".
            gate.anyone(.get, "/badges/{file}", query: BadgeLook.parameters, picture),
        ]
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await badges.settings(of: caller.uid))
    }

    private func make(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try period(request)
        let token = Token()
        try await badges.make(token, of: period, for: caller, from: request.client)
        return try .created(["url": "\(baseURL)/badges/\(token.text).svg"], at: "/api/v1/me/badge").notStored()
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        guard try await badges.change(to: period(request), of: caller.uid) else { throw Problem.notFound }
        return try .json(await badges.settings(of: caller.uid))
    }

    private func period(_ request: Request) throws -> Period.Length {
        guard let period = Period.Length(rawValue: try request.json("period").string("period")) else {
            throw Refusal.ranking.invalidBadgePeriod
        }
        return period
    }

    private func end(_ request: Request, _ caller: Caller) async throws -> Response {
        guard try await badges.end(of: caller.uid, from: request.client) else { throw Problem.notFound }
        return .noContent
    }

    private func picture(_ request: Request) async throws -> Response {
        let (file, look) = (request.parameter("file"), try BadgeLook(request))
        guard file.hasSuffix(".svg"), let token = Token(String(file.dropLast(4))),
            let badge = try await badges.badge(token)
        else { throw Problem.notFound }
        return look.response(BadgePicture(badge, look))
    }
}
