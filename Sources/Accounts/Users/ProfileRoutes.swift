import API
import HTTP

/// A person's own profile.
struct ProfileRoutes: Sendable {
    let gate: Gate
    let profiles: ProfileStore

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me", whileLeaving: true, show),
            gate.user(.patch, "/api/v1/me", change),
        ]
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await profiles.find(caller.uid))
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json(ProfileChange.fields)
        let audit = AuditEvent(.nicknameChanged, of: caller.uid, by: caller.uid, request)
        return try .json(await profiles.change(caller.uid, ProfileChange(fields), audit))
    }
}
