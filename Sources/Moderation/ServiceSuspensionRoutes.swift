import API
import Accounts
import Groups
import HTTP
import Postgres

/// Suspensions from the global board and the board of groups.
struct ServiceSuspensionRoutes: Sendable {
    let suspensions: ServiceSuspensionStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/suspensions", query: Paging.parameters, own),
            gate.user(.put, "/api/v1/me/suspensions/{suspension}/answer", answer),
            gate.user(.post, "/api/v1/admin/suspensions", access: .siteAdmin, suspend),
            gate.user(.get, "/api/v1/admin/suspensions", access: .siteAdmin, query: Paging.parameters, list),
            gate.user(.get, "/api/v1/admin/suspensions/{suspension}", access: .siteAdmin, show),
            gate.user(.delete, "/api/v1/admin/suspensions/{suspension}", access: .siteAdmin, lift),
        ]
    }

    private func own(_ request: Request, _ caller: Caller) async throws -> Response {
        var page = try await suspensions.all(of: caller.uid, request.paging())
        page.items = page.items.map(\.withoutAdmins)
        return try .json(page)
    }

    private func answer(_ request: Request, _ caller: Caller) async throws -> Response {
        let suspension = try request.uuid("suspension")
        let answer = try GroupText.answer(request.json("answer").string("answer"))
        try await suspensions.answer(suspension, by: caller.uid, answer)
        return try .json(await suspensions.one(suspension, of: caller.uid).withoutAdmins)
    }

    private func suspend(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("uid", "reason", "until")
        let user = try fields.uuid("uid")
        let reason = try GroupText.reason(fields.string("reason"))
        let until = try fields.instant("until")
        let id = try await suspensions.suspend(user, by: caller.uid, reason: reason, until: until)
        return try .created(await suspensions.one(id), at: "/api/v1/admin/suspensions/\(id)")
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await suspensions.all(request.paging()))
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await suspensions.one(request.uuid("suspension")))
    }

    private func lift(_ request: Request, _ caller: Caller) async throws -> Response {
        try await suspensions.lift(request.uuid("suspension"), by: caller.uid)
        return .noContent
    }
}

extension Suspension {
    /// The same as its user sees it: they learn why, and not who of the site admins decided it.
    fileprivate var withoutAdmins: Suspension {
        var told = self
        (told.suspendedBy, told.liftedBy) = (nil, nil)
        return told
    }
}
