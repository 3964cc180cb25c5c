import API
import Accounts
import HTTP
import Postgres

/// What site admins look at: the mail queue, the audit and the figures of the service.
struct OversightRoutes: Sendable {
    let oversight: OversightStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(
                .get, "/api/v1/admin/mails", access: .siteAdmin, query: Paging.parameters.union(["state", "kind"]),
                mails),
            gate.user(.post, "/api/v1/admin/mails/{mail}/attempts", access: .siteAdmin, sendAgain),
            gate.user(
                .get, "/api/v1/admin/audit", access: .siteAdmin,
                query: Paging.parameters.union(["kind", "uid", "group_id"]), audit),
            gate.user(.get, "/api/v1/admin/figures", access: .siteAdmin, figures),
        ]
    }

    private func mails(_ request: Request, _ caller: Caller) async throws -> Response {
        let state = try request.query["state"].map { text in
            guard let state = QueuedMail.State(rawValue: text) else { throw Problem.invalidQuery("state") }
            return state
        }
        return try .json(await oversight.mails(state, of: request.query["kind"], request.paging()))
    }

    private func sendAgain(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        try await oversight.sendAgain(request.uuid("mail"), by: caller.uid)
        return .noContent
    }

    private func audit(_ request: Request, _ caller: Caller) async throws -> Response {
        let (user, group) = (try request.queriedID("uid"), try request.queriedID("group_id"))
        return try .json(
            await oversight.events(for: caller.uid, of: request.query["kind"], user, in: group, request.paging()))
    }

    private func figures(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await oversight.figures(for: caller.uid))
    }
}

extension Request {
    /// The parameter as a UUID; `400 invalid_query` for anything else.
    fileprivate func queriedID(_ name: String) throws -> ID? {
        try query[name].map { text in
            guard let id = ID(text) else { throw Problem.invalidQuery(name) }
            return id
        }
    }
}
