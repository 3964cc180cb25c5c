import API
import HTTP
import Postgres

/// Signing in with a password, seeing one's devices, signing them out.
struct SignInRoutes: Sendable {
    let gate: Gate
    let database: Database
    let users: UserStore
    let signIns: SignInStore
    let profiles: ProfileStore
    let limits: LimitsStore
    let hasher: PasswordHasher
    let providers: [Provider]

    var routes: [Endpoint] {
        [
            gate.anyone(.post, "/api/v1/sign-ins", signIn),
            gate.user(.get, "/api/v1/sign-ins", list),
            gate.user(.delete, "/api/v1/sign-ins", endOthers),
            gate.user(.delete, "/api/v1/sign-ins/current", whileLeaving: true, signOut),
            gate.user(.delete, "/api/v1/sign-ins/{id}", end),
        ]
    }

    private func signIn(_ request: Request) async throws -> Response {
        let fields = try request.json("email", "password", "device", "delivery")
        let address = try fields.string("email")
        let password = Password(try fields.string("password"))
        let delivery = try Delivery(fields, request, gate)
        let new = NewSignIn(device: try DeviceName.of(fields, request), from: request.client)

        let email = EmailAddress(address)
        let (user, verdict) = try await limits.attempt(on: email?.canonical ?? address, from: request.client) {
            let user: Credentials? = if let email { try await users.find(email) } else { nil }
            return (user, try await hasher.verify(password, against: user?.hash))
        }
        guard verdict != .wrong, let user, var hash = user.hash else {
            _ = try await database.write(AuditEvent(.wrongPassword, of: user?.uid, by: nil, request).query)
            throw Refusal.accounts.wrongCredentials
        }
        if verdict == .outdated {
            let renewed = try await hasher.hash(password)
            try await users.renew(user, to: renewed)
            hash = renewed
        }

        let current = hash
        let (profile, begun) = try await database.transaction {
            let begun = try await signIns.begin(new, of: user.uid, by: .password(hash: current))
            let rows = try await database.write([
                limits.forgetting(user.email.canonical, from: request.client),
                AuditEvent(.signedIn, of: user.uid, by: user.uid, request).query,
                profiles.query(user.uid),
            ])
            return (try ProfileStore.profile(rows[2]), begun)
        }
        return try SignInAnswer.response(
            profile, new, begun, delivery, gate, at: "/api/v1/sign-ins/\(new.id)")
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Page(items: await signIns.list(of: caller, providers), next: nil))
    }

    private func signOut(_ request: Request, _ caller: Caller) async throws -> Response {
        let audit = AuditEvent(.signedOut, of: caller.uid, by: caller.uid, request)
        _ = try await signIns.end(caller.signIn, of: caller.uid, audit: audit)
        var response = Response.noContent
        if caller.isCookie { gate.cookie.clear(on: &response) }
        return response
    }

    private func endOthers(_ request: Request, _ caller: Caller) async throws -> Response {
        let audit = AuditEvent(.otherSignInsEnded, of: caller.uid, by: caller.uid, request)
        try await signIns.endOthers(caller, audit: audit)
        return .noContent
    }

    private func end(_ request: Request, _ caller: Caller) async throws -> Response {
        let audit = AuditEvent(.signInEnded, of: caller.uid, by: caller.uid, request)
        guard try await signIns.end(request.uuid("id"), of: caller.uid, audit: audit) else { throw Problem.notFound }
        return .noContent
    }
}
