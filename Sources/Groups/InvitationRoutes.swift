import Accounts
import Foundation
import HTTP

/// Inviting and being invited.
struct InvitationRoutes: Sendable {
    let invitations: InvitationStore
    let gate: Gate
    let baseURL: String

    var routes: [Route] {
        [
            // Its answer holds a secret, which is not kept for a retry: that makes another invitation.
            gate.user(.post, "/api/v1/groups/{id}/invitations", access: .admin, idempotent: false, create),
            gate.anyone(.get, "/api/v1/invitations/{code}", preview),
            gate.user(.post, "/api/v1/invitations/{code}/acceptances", accept),
        ]
    }

    private func create(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("uses", "expires_in_days")
        let uses = try fields.optionalInt("uses")
        let days = try fields.optionalInt("expires_in_days")
        if let uses, !(1...10_000).contains(uses) { throw GroupsError.invalidUses }
        if let days, !(1...365).contains(days) { throw GroupsError.invalidExpiry }
        var generator = SystemRandomNumberGenerator()
        let code = InvitationCode.random(using: &generator)
        let (expiresAt, usesLeft) = try await invitations.create(
            code, to: request.uuid("id"), by: caller.uid, uses: uses, days: days)
        let invitation = Invitation(
            code: code, url: "\(baseURL)/join/\(code)", expiresAt: expiresAt, usesLeft: usesLeft)
        return try .created(invitation, at: "/api/v1/invitations/\(code)").notStored()
    }

    private func preview(_ request: Request) async throws -> Response {
        try .json(await invitations.preview(request.parameter("code")))
    }

    private func accept(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        let membership = try await invitations.accept(request.parameter("code"), by: caller.uid)
        return try .created(membership, at: "/api/v1/groups/\(membership.groupID.lowercased)")
    }
}
