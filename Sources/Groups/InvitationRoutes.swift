import API
import Accounts
import HTTP

/// Inviting and being invited.
struct InvitationRoutes: Sendable {
    let invitations: InvitationStore
    let gate: Gate
    let baseURL: String

    var routes: [Endpoint] {
        [
            // The answer holds a secret, so it is not stored: a retry makes another invitation.
            gate.user(.post, "/api/v1/groups/{id}/invitations", access: .admin, idempotent: false, create),
            gate.user(.get, "/api/v1/groups/{id}/invitations", access: .admin, query: Paging.parameters, list),
            gate.user(.delete, "/api/v1/groups/{id}/invitations/{invitation}", access: .admin, revoke),
            gate.anyone(.get, "/api/v1/invitations/{code}", preview),
            gate.anyone(.get, "/api/v1/invitations/{code}/qr.svg", picture),
            gate.user(.post, "/api/v1/invitations/{code}/acceptances", accept),
            gate.anyone(.get, "/api/v1/registration/qr.svg", doorPicture),
        ]
    }

    private func create(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("uses", "expires_in_days")
        let uses = try fields.optionalInt("uses")
        let days = try fields.optionalInt("expires_in_days")
        var generator = SystemRandomNumberGenerator()
        let code = InvitationCode.random(using: &generator)
        let (id, expiresAt, usesLeft) = try await invitations.create(
            code, to: request.uuid("id"), by: caller.uid, uses: uses, days: days)
        let invitation = Invitation(
            id: id, code: code, url: InvitationCode.link(code, baseURL), expiresAt: expiresAt, usesLeft: usesLeft)
        return try .created(invitation, at: "/api/v1/invitations/\(code)").notStored()
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await invitations.all(of: request.uuid("id"), for: caller.uid, request.paging()))
    }

    private func revoke(_ request: Request, _ caller: Caller) async throws -> Response {
        try await invitations.revoke(request.uuid("invitation"), of: request.uuid("id"), by: caller.uid)
        return .noContent
    }

    /// The link as a QR code, for an invitation that still works.
    private func picture(_ request: Request) async throws -> Response {
        let code = request.parameter("code")
        _ = try await invitations.preview(code)
        return try picture(of: InvitationCode.link(code, baseURL))
    }

    /// The page to register on, for friends to scan.
    private func doorPicture(_ request: Request) async throws -> Response { try picture(of: "\(baseURL)/register") }

    private func picture(of link: String) throws -> Response {
        guard let code = QRCode(link) else { throw Refusal.groups.notFound }
        return .text(code.svg, type: "image/svg+xml")
    }

    private func preview(_ request: Request) async throws -> Response {
        try .json(await invitations.preview(request.parameter("code")))
    }

    private func accept(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        let membership = try await invitations.accept(request.parameter("code"), by: caller.uid)
        return try .created(membership, at: "/api/v1/groups/\(membership.groupID)")
    }
}
