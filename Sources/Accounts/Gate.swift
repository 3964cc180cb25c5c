import API
import HTTP
import Postgres

/// The one door of the API: finds out who asks, refuses what comes from another site, holds everyone to the limit, and
/// makes retries safe. Every route of the API is built here.
package struct Gate: Sendable {
    private let database: Database
    private let signIns: KnownSignIns
    /// What others change, for all who answer from memory behind this gate.
    package let changes: Changes
    private let answers: IdempotencyStore
    private let budget: RequestBudget
    private let changed: @Sendable (Set<ID>) -> Void
    let site: SiteAddress
    let cookie: SignInCookie

    /// `now` is this process's clock, for the limit on requests; all other time is the database's. `changed` is told of
    /// each request that may have changed something, before it is answered: who asked, and the UUIDs that its path and
    /// the answer's `Location` name.
    package init(
        database: Database, secret: Secret, baseURL: String, limits: Limits = Limits(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        changed: @escaping @Sendable (Set<ID>) -> Void = { _ in }
    ) {
        self.database = database
        changes = Changes(database: database)
        signIns = KnownSignIns(store: SignInStore(database: database, secret: secret), changes: changes)
        answers = IdempotencyStore(database: database)
        budget = RequestBudget(limits.apiRequests, now: now)
        self.changed = changed
        site = SiteAddress(baseURL)
        cookie = SignInCookie(site)
    }

    /// An endpoint for everybody.
    package func anyone(
        _ method: HTTP.Method, _ pattern: String, query: Set<String> = [], maxBody: Int = Route.usualMaxBody,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) -> Endpoint {
        let route = Route(method, pattern, query: query, maxBody: maxBody) { request in
            try budget.spend(.client(request.client.limitKey))
            return try await handler(request)
        }
        return Endpoint(.anyone, route)
    }

    /// An endpoint for whoever is signed in; `access` says which of them the handler lets pass. A `POST` with an
    /// Idempotency-Key runs in a transaction together with the keeping of its answer, unless it answers a secret.
    package func user(
        _ method: HTTP.Method, _ pattern: String, access: Access = .user, query: Set<String> = [],
        idempotent: Bool = true,
        maxBody: Int = Route.usualMaxBody,
        _ handler: @escaping @Sendable (Request, Caller) async throws -> Response
    ) -> Endpoint {
        let route = Route(
            method, pattern, query: query, maxBody: maxBody, checkHead: { _ = try await caller(of: $0) }
        ) { request in
            let caller = try await caller(of: request)
            try budget.spend(.signIn(caller.signIn))
            guard Self.changes(method) else { return try await handler(request, caller) }
            var named = Set([caller.uid] + request.parameters.values.compactMap(ID.init))
            // Whatever comes of it: a refusal, too, may have ended a forgotten timer.
            defer { changed(named) }
            let key = method == .post && idempotent ? try IdempotencyKey(request, of: caller) : nil
            let response =
                if let key {
                    try await once(key) { try await handler(request, caller) }
                } else {
                    try await handler(request, caller)
                }
            named.formUnion(
                response.headers["Location"]?.split(separator: "/").compactMap { ID(String($0)) } ?? [])
            return response
        }
        return Endpoint(access, route)
    }

    private static func changes(_ method: HTTP.Method) -> Bool { ![.get, .head, .options].contains(method) }

    /// Throws ``AccountsRefusals/notSignedIn`` and ``AccountsRefusals/crossOrigin``.
    private func caller(of request: Request) async throws -> Caller {
        let bearer = request.headers["Authorization"]
        let text: String?
        if let bearer {
            let parts = bearer.split(separator: " ", maxSplits: 1)
            text = parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
        } else {
            text = cookie.token(of: request)
            // A browser sends the cookie whoever asks it to; the header it sends for us alone.
            if text != nil, Self.changes(request.method), !site.sent(request) { throw Refusal.accounts.crossOrigin }
        }
        if let token = text.flatMap(Token.init), let found = try await signIns.find(token) {
            return Caller(uid: found.uid, signIn: found.id, isCookie: bearer == nil, moment: found.moment)
        }
        try budget.spend(.client(request.client.limitKey))
        throw Refusal.accounts.notSignedIn
    }

    private func once(_ key: IdempotencyKey, _ handler: @Sendable () async throws -> Response) async throws -> Response
    {
        do {
            return try await database.transaction {
                if case .answered(var response) = try await answers.claim(key) {
                    response.headers.add("Idempotency-Replayed", "true")
                    return response
                }
                let response = try await handler()
                guard response.status.code < 300 else { throw NotKept(response: response) }
                try await answers.keep(response, as: key)
                return response
            }
        } catch let refusal as NotKept {
            return refusal.response
        }
    }

    /// Takes an answer that is no success out of its transaction, which is rolled back.
    private struct NotKept: Error {
        let response: Response
    }
}
