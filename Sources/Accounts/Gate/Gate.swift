import API
import HTTP
import Postgres

/// The one door of the API: finds out who asks, refuses what comes from another site, holds everyone to the limit, and
/// makes retries safe. Every route of the API is built here.
package struct Gate: Sendable {
    private let database: Database
    private let signIns: SignInStore
    private let keptSignIns: Kept<[UInt8], SignInStore.Found>
    /// The change feed, shared by everything behind this gate that keeps values in memory.
    package let changes: ChangeFeed
    private let answers: IdempotencyStore
    private let budget: RequestBudget
    private let lastWrites: LastWrite
    let site: SiteAddress
    let cookie: TokenCookie

    /// `now` is this process's clock, for the limit on requests; all other time is the database's.
    package init(
        database: Database, secret: Secret, baseURL: String, limits: Limits = Limits(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.database = database
        changes = ChangeFeed(database: database)
        signIns = SignInStore(database: database, secret: secret)
        keptSignIns = Kept(changes, most: 20_000)
        answers = IdempotencyStore(database: database)
        budget = RequestBudget(limits.apiRequests, now: now)
        site = SiteAddress(baseURL)
        lastWrites = LastWrite(database: database, site: site)
        cookie = .signIn(site)
    }

    /// A `mayLag` for routes whose answer may always be a few seconds old.
    package static let always: @Sendable (Request, Caller) -> Bool = { _, _ in true }

    /// An endpoint that needs no sign-in. With `query: nil`, unknown query parameters are ignored. `writes`: whether it
    /// changes something although it is a `GET`. `mayLag`: whether its data may be a few seconds old; whether it may
    /// show them at all, the handler must ask the primary.
    package func anyone(
        _ method: HTTP.Method, _ pattern: String, query: Set<String>? = [], maxBody: Int = Route.usualMaxBody,
        writes: Bool = false, mayLag: Bool = false,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) -> Endpoint {
        let route = Route(method, pattern, query: query, maxBody: maxBody) { request in
            try budget.spend(.client(request.client.limitKey))
            return try await lastWrites.kept(request, writes: writes, mayLag: mayLag) { try await handler(request) }
        }
        return Endpoint(.anyone, route)
    }

    /// An endpoint for signed-in users; `access` says which. The gate checks only who is a site admin; the database
    /// functions that the handler calls check roles in a group. A `POST` with an Idempotency-Key runs in one
    /// transaction with the storing of its answer; with `idempotent: false`, as for answers that hold a secret, the key
    /// is ignored. `whileLeaving`: also for somebody whose account waits to be deleted. `mayLag`: whether its data may
    /// be a few seconds old, except what the caller wrote.
    package func user(
        _ method: HTTP.Method, _ pattern: String, access: Access = .user, query: Set<String> = [],
        idempotent: Bool = true, whileLeaving: Bool = false, maxBody: Int = Route.usualMaxBody,
        mayLag: @escaping @Sendable (Request, Caller) -> Bool = { _, _ in false },
        _ handler: @escaping @Sendable (Request, Caller) async throws -> Response
    ) -> Endpoint {
        let scope = KeyScope.needed(for: "\(method.rawValue) \(pattern)")
        let route = Route(
            method, pattern, query: query, maxBody: maxBody,
            checkHead: { _ = try await caller(of: $0, access, whileLeaving, scope) }
        ) { request in
            let caller = try await caller(of: request, access, whileLeaving, scope)
            try budget.spend(.signIn(caller.signIn))
            do {
                return try await lastWrites.kept(request, caller, mayLag: mayLag(request, caller)) {
                    guard method == .post, idempotent, let key = try IdempotencyKey(request, of: caller) else {
                        return try await handler(request, caller)
                    }
                    return try await once(key) { try await handler(request, caller) }
                }
            } catch let error as any ResponseError where [.notFound, .internalError].contains(error.status) {
                // If the account was erased while the request ran, answer 401 instead of 404 or 500.
                _ = try await self.caller(of: request, access, whileLeaving, scope)
                throw error
            }
        }
        return Endpoint(access, route)
    }

    /// Whether the browser that sent this is signed in; false if the database cannot be asked now.
    package func isSignedIn(_ request: Request) async -> Bool {
        guard cookie.token(of: request) != nil else { return false }
        return (try? await caller(of: request, .user, false, nil)) != nil
    }

    /// `scope`: what a key needs here; nil where no key comes in. Throws ``AccountsRefusals/notSignedIn``,
    /// ``AccountsRefusals/crossOrigin``, ``AccountsRefusals/leaving`` and ``AccountsRefusals/keyNotAllowed``, and `404`
    /// where only site admins come in.
    private func caller(
        of request: Request, _ access: Access, _ whileLeaving: Bool, _ scope: KeyScope?
    ) async throws -> Caller {
        let bearer = request.headers["Authorization"]
        let text: String?
        if let bearer {
            let scheme = bearer.utf8.prefix(while: { $0 != UInt8(ascii: " ") })
            text = Substring(scheme).lowercased() == "bearer" ? String(bearer.utf8.dropFirst(scheme.count + 1)) : nil
        } else {
            text = cookie.token(of: request)
            // A browser adds the cookie to requests of other sites too; the header only to ours.
            let isRead = [.get, .head, .options].contains(request.method)
            if text != nil, !isRead, !site.sent(request) { throw Refusal.accounts.crossOrigin }
        }
        do {
            guard let token = text.flatMap(Token.init) else { throw Refusal.accounts.notSignedIn }
            let (mac, position) = (token.mac(.signIn, signIns.secret), try await changes.position())
            let found = try await keptSignIns.value(mac, at: position) { [signIns, budget] in
                // Without a query for those who have made too many requests: a token that nobody has costs nothing.
                try budget.check(.client(request.client.limitKey))
                return try await signIns.find(mac, from: request.client)
            }
            guard whileLeaving || found.leavesAt == nil else { throw Refusal.accounts.leaving }
            if let scopes = found.scopes, !scopes.contains(where: { $0 == scope }) {
                throw Refusal.accounts.keyNotAllowed
            }
            guard access != .siteAdmin || found.isSiteAdmin else { throw Problem.notFound }
            return Caller(
                uid: found.uid, signIn: found.id, isCookie: bearer == nil, isKey: found.scopes != nil,
                position: position)
        } catch let error where error is Refusal || error is Problem {
            try budget.spend(.client(request.client.limitKey))
            throw error
        }
    }

    /// A refusal is thrown, so it undoes the transaction and is not kept.
    private func once(_ key: IdempotencyKey, _ handler: @Sendable () async throws -> Response) async throws -> Response
    {
        try await database.transaction {
            if case .answered(var response) = try await answers.claim(key) {
                response.headers.add("Idempotency-Replayed", "true")
                return response
            }
            let response = try await handler()
            try await answers.keep(response, as: key)
            return response
        }
    }
}
