import API
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts
@testable import Mail

/// What needs no provider; Tests/blackbox goes there and back.
@Suite(.database) struct IdentityTests {
    /// Links an identity as a way there and back does.
    private func link(_ subject: String, to uid: ID, _ service: AccountsService) async throws -> ID {
        let id = ID()
        try await IdentityStore(database: service.test.database).link(
            ProvidedIdentity(issuer: "https://id.example", subject: subject), id: id, to: uid)
        return id
    }

    private func service() throws -> AccountsService {
        try AccountsService(providers: [
            Provider(
                id: "acme", name: "Acme", issuer: "https://id.example", clientID: "x", credential: .none,
                scope: "openid", confirming: [])
        ])
    }

    /// Somebody who signed in through a provider and has no password.
    private func withoutPassword(
        _ service: AccountsService, _ name: String = "ant"
    ) async throws -> (uid: ID, bearer: String, identity: ID) {
        let (uid, _) = try await service.register("\(name)@example.org")
        try await service.test.sql("UPDATE users SET password_hash = NULL")
        let identity = try await link(name, to: uid, service)
        let new = NewSignIn(device: nil)
        let store = SignInStore(database: service.test.database, secret: service.secret)
        _ = try await service.test.database.transaction { try await store.begin(new, of: uid, by: .identity(identity)) }
        return (uid, new.token.text, identity)
    }

    private func change(_ current: String?, to new: String, _ service: AccountsService, _ bearer: String) async
        -> Answer
    {
        var body: [String: JSON] = ["new": .string(new)]
        if let current { body["current"] = .string(current) }
        return await service.client.put("/api/v1/me/password", json: .object(body), bearer: bearer)
    }

    @Test func `without a password nobody signs in by one`() async throws {
        let service = try service()
        _ = try await withoutPassword(service)
        for password in ["", AccountsService.password] {
            #expect(try await service.signIn("ant@example.org", password).code == "wrong_credentials")
        }
    }

    @Test func `a fresh sign-in through a provider stands in for a password that is not set, for five minutes`()
        async throws
    {
        let service = try service()
        let (uid, bearer, _) = try await withoutPassword(service)
        #expect(await change("a guess at nothing", to: "a quite new one 7", service, bearer).code == "wrong_password")
        try await service.test.advance(301)
        #expect(await change(nil, to: "a quite new one 7", service, bearer).code == "confirmation_required")
        let store = SignInStore(database: service.test.database, secret: service.secret)
        let mac = try #require(Token(bearer)).mac(.signIn, service.secret)
        let found = try await store.find(mac)
        #expect(try await store.refresh(found.id, of: uid))
        try await service.test.advance(299)
        #expect(await change(nil, to: "a quite new one 7", service, bearer).status == .noContent)
        // Now there is a password, and it alone counts.
        #expect(try await store.refresh(found.id, of: uid))
        #expect(await change(nil, to: "another new one 8", service, bearer).code == "confirmation_required")
        #expect(await change("a quite new one 7", to: "another new one 8", service, bearer).status == .noContent)
        #expect(try await service.signIn("ant@example.org", "another new one 8").status == .created)
    }

    @Test func `a fresh sign-in on one device says nothing of another`() async throws {
        let service = try service()
        let (uid, bearer) = try await service.register()
        try await service.test.sql("UPDATE users SET password_hash = NULL")
        let identity = try await link("ant", to: uid, service)
        let store = SignInStore(database: service.test.database, secret: service.secret)
        let fresh = NewSignIn(device: nil)
        _ = try await service.test.database.transaction {
            try await store.begin(fresh, of: uid, by: .identity(identity))
        }
        #expect(await change(nil, to: "a quite new one 7", service, bearer).code == "confirmation_required")
        #expect(await change(nil, to: "a quite new one 7", service, fresh.token.text).status == .noContent)
    }

    @Test func `a device tells through which provider it came, also when that is gone`() async throws {
        let service = try service()
        let (uid, bearer) = try await service.register()
        let identity = try await link("ant", to: uid, service)
        let store = SignInStore(database: service.test.database, secret: service.secret)
        for provider in ["acme", "gone"] {
            let new = NewSignIn(device: provider, through: provider)
            _ = try await service.test.database.transaction {
                try await store.begin(new, of: uid, by: .identity(identity))
            }
        }
        let devices = await service.client.get("/api/v1/sign-ins", bearer: bearer).json["items"].array ?? []
        let told = Dictionary(
            uniqueKeysWithValues: devices.map { ($0["device"].string ?? "-", $0["provider_name"].string ?? "-") })
        #expect(told == ["-": "-", "acme": "Acme", "gone": "gone"])
    }

    @Test func `a sign-in with a password is never fresh`() async throws {
        let service = try service()
        let (_, bearer) = try await service.register()
        #expect(await change(nil, to: "a quite new one 7", service, bearer).code == "confirmation_required")
    }

    @Test func `a reset gives somebody without a password their first one`() async throws {
        let service = try service()
        _ = try await withoutPassword(service)
        try await service.test.advance(61)
        let token = try await service.resetToken("ant@example.org")
        let answer = await service.client.put(
            "/api/v1/password-resets", json: ["token": .string(token), "password": "a quite new one 7"])
        #expect(answer.status == .noContent)
        #expect(try await service.signIn("ant@example.org", "a quite new one 7").status == .created)
    }

    @Test func `the last way in cannot be unlinked, every other can`() async throws {
        let service = try service()
        let (uid, bearer, first) = try await withoutPassword(service)
        let second = try await link("other", to: uid, service)
        let path = "/api/v1/me/identities"
        #expect(await service.client.delete("\(path)/\(second)", bearer: bearer).status == .noContent)
        #expect(await service.client.delete("\(path)/\(second)", bearer: bearer).status == .notFound)
        #expect(await service.client.delete("\(path)/\(first)", bearer: bearer).code == "last_way_in")
        #expect(await change(nil, to: "a quite new one 7", service, bearer).status == .noContent)
        let confirmed: JSON = ["password": "a quite new one 7"]
        #expect(
            await service.client.delete("\(path)/\(first)", json: confirmed, bearer: bearer).status == .noContent)
        let kinds = try await service.test.database.read(
            "SELECT kind FROM audit_events WHERE uid = \(uid) AND kind LIKE 'identity%' AND details ? 'identity'"
        ).decode(String.self)
        #expect(kinds == ["identity_unlinked", "identity_unlinked"])
    }

    @Test func `an identity of a provider that is gone is no way in`() async throws {
        let service = try service()
        let (uid, bearer, first) = try await withoutPassword(service)
        try await service.test.sql(
            "INSERT INTO user_identities (issuer, subject, uid) VALUES ('https://gone.example', 'ant', '\(uid)')")
        #expect(
            await service.client.delete("/api/v1/me/identities/\(first)", bearer: bearer).code == "last_way_in")
    }

    @Test func `of two who unlink at once, one keeps a way in`() async throws {
        let service = try service()
        for round in 0..<10 {
            let (uid, bearer, first) = try await withoutPassword(service, "ant\(round)")
            let second = try await link("other\(round)", to: uid, service)
            async let one = service.client.delete("/api/v1/me/identities/\(first)", bearer: bearer)
            async let two = service.client.delete("/api/v1/me/identities/\(second)", bearer: bearer)
            #expect(await [one.status.code, two.status.code].sorted() == [204, 409])
            _ = try await service.mail()
        }
    }

    @Test func `unlinking signs all other devices out and needs the password`() async throws {
        let service = try service()
        let (uid, bearer) = try await service.register()
        let identity = try await link("ant", to: uid, service)
        let other = try await service.bearer()
        let path = "/api/v1/me/identities/\(identity)"
        #expect(await service.client.delete(path, bearer: bearer).code == "confirmation_required")
        let wrong = await service.client.delete(path, json: ["password": "wrong"], bearer: bearer)
        #expect(wrong.code == "wrong_password")
        #expect(wrong.json["field"].string == "password")
        let right: JSON = ["password": .string(AccountsService.password)]
        #expect(await service.client.delete(path, json: right, bearer: bearer).status == .noContent)
        #expect(await service.isSignedIn(bearer))
        #expect(await !service.isSignedIn(other))
        let mail = try await service.mail()
        #expect(mail.map(\.kind) == [.identityUnlinked])
        #expect(mail.first?.message.to.address == "ant@example.org")
        #expect(mail.first?.message.subject == "Acme was unlinked from your Anthill account")
    }

    @Test func `somebody else's identity is not there`() async throws {
        let service = try service()
        let (uid, _) = try await service.register("ant@example.org")
        let identity = try await link("ant", to: uid, service)
        let (_, bearer) = try await service.register("bee@example.org")
        let right: JSON = ["password": .string(AccountsService.password)]
        let answer = await service.client.delete("/api/v1/me/identities/\(identity)", json: right, bearer: bearer)
        #expect(answer.status == .notFound)
        #expect(await service.client.get("/api/v1/me/identities", bearer: bearer).json["items"] == [])
        #expect(try await service.number("SELECT count(*) FROM user_identities") == 1)
    }

    @Test func `an identity that is unlinked signs nobody in any more`() async throws {
        let service = try service()
        let (uid, _, identity) = try await withoutPassword(service)
        try await service.test.sql("DELETE FROM user_identities")
        let store = SignInStore(database: service.test.database, secret: service.secret)
        await #expect(throws: Refusal.accounts.wrongCredentials) {
            try await service.test.database.transaction {
                try await store.begin(NewSignIn(device: nil), of: uid, by: .identity(identity))
            }
        }
    }

    @Test func `a provider that nobody configured is not there`() async throws {
        let service = try service()
        let (_, bearer) = try await service.register()
        for path in ["/api/v1/oidc/nobody", "/api/v1/oidc/nobody/callback?state=x&code=y"] {
            #expect(await service.client.get(path).status == .notFound)
        }
        #expect(
            await service.client.post("/api/v1/me/confirmations", json: ["provider": "nobody"], bearer: bearer).code
                == "unknown_provider")
        #expect(await service.client.get("/api/v1/providers").json["items"] == [["id": "acme", "name": "Acme"]])
        #expect(await service.client.get("/api/v1/provider-ticket").json == ["ticket": .null])
    }
}
