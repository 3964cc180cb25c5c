import API
import HTTP

/// Keys with which other programs read and record.
struct KeyRoutes: Sendable {
    let gate: Gate
    let keys: KeyStore

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/api-keys", list),
            gate.user(.post, "/api/v1/me/api-keys", idempotent: false, add),
            gate.user(.delete, "/api/v1/me/api-keys/{id}", end),
        ]
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Page(items: await keys.list(of: caller), next: nil))
    }

    private func add(_ request: Request, _ caller: Caller) async throws -> Response {
        let made = try await keys.add(WantedKey(request), for: caller, from: request.client)
        return try .created(made, at: "/api/v1/me/api-keys/\(made.id)").notStored()
    }

    private func end(_ request: Request, _ caller: Caller) async throws -> Response {
        guard try await keys.end(request.uuid("id"), of: caller.uid, from: request.client) else {
            throw Problem.notFound
        }
        return .noContent
    }
}

/// A key as somebody asks for it.
struct WantedKey: Sendable {
    let name: String
    let scopes: [KeyScope]
    let days: Int

    init(name: String, scopes: [KeyScope], days: Int) {
        (self.name, self.scopes, self.days) = (name, scopes, days)
    }

    init(_ request: Request) throws {
        let fields = try request.json("name", "scopes", "expires_in_days")
        guard let name = PlainText.line(try fields.string("name"), atMost: 40) else {
            throw Refusal.accounts.invalidKeyName
        }
        let named = try fields.texts("scopes") { $0 }.map(KeyScope.init)
        guard [[.read], [.read, .record], [.record, .read]].contains(named) else {
            throw Refusal.accounts.unknownScopes
        }
        self.name = name
        scopes = KeyScope.allCases.filter(named.contains)
        days = try fields.optionalInt("expires_in_days") ?? RuleNumber.mostApiKeyDays.value
    }
}
