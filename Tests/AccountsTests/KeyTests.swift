import API
import HTTP
import Postgres
import TestSupport
import Testing
import Time

@testable import Accounts

@Suite(.database) struct KeyTests {
    private func make(
        _ service: AccountsService, _ bearer: String, name: String = "My clock", scopes: JSON = ["read"],
        days: JSON = .null
    ) async -> Answer {
        await service.client.post(
            "/api/v1/me/api-keys", json: ["name": .string(name), "scopes": scopes, "expires_in_days": days],
            bearer: bearer)
    }

    @Test func `a key is shown once and then listed with its last use`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let made = await make(service, bearer, scopes: ["record", "read"], days: 30)
        #expect(made.status == .created)
        #expect(made.headers["Cache-Control"] == "no-store")
        #expect(made.json["expires_at"] == "2026-12-21T03:00:00Z")
        let key = try #require(made.json["key"].string)

        let listed = { await service.client.get("/api/v1/me/api-keys", bearer: bearer).json["items"] }
        let unused = try #require(await listed().array?.first)
        #expect(unused["name"] == "My clock")
        #expect(unused["scopes"] == ["read", "record"])
        #expect(unused["last_used_at"].isNull)
        #expect(!unused.names.contains("key"))

        try await TestDatabase.current.setClock("2026-11-21T03:00:05Z")
        #expect(await service.isSignedIn(key))
        #expect(await listed().array?.first?["last_used_at"] == "2026-11-21T03:00:05Z")
        #expect(await listed().array?.first?["expires_at"] == "2026-12-21T03:00:00Z")
        #expect(await service.client.get("/api/v1/sign-ins", bearer: bearer).json["items"].array?.count == 1)
    }

    @Test func `a key does nothing with an account, nor with other keys`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let made = await make(service, bearer, scopes: ["read", "record"])
        let key = try #require(made.json["key"].string)
        for endpoint in service.routes where endpoint.access == .user {
            let route = endpoint.route
            let target = route.pattern.replacing(#/\{\w+\}/#, with: made.json["id"].string ?? "")
            let answer = await service.client.send(route.method, target, bearer: key)
            if ["/api/v1/me", "/api/v1/users/{uid}/avatar"].contains(route.pattern), route.method == .get {
                #expect(answer.code != "key_not_allowed")
            } else {
                #expect(answer.status == .forbidden, "\(route.method.rawValue) \(route.pattern)")
                #expect(answer.code == "key_not_allowed")
            }
        }
        #expect(await service.isSignedIn(bearer))
        #expect(await service.isSignedIn(key))
    }

    @Test func `an ended or expired key is invalid`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let (_, stranger) = try await service.register("bee@example.org", nickname: "꿀벌")
        let first = await make(service, bearer, days: 1)
        let second = await make(service, bearer)
        let keys = try [first, second].map { try #require($0.json["key"].string) }
        let path = "/api/v1/me/api-keys/\(try #require(second.json["id"].string))"
        #expect(await service.client.delete(path, bearer: stranger).status == .notFound)
        #expect(await service.client.delete(path, bearer: bearer).status == .noContent)
        #expect(await service.client.delete(path, bearer: bearer).status == .notFound)
        #expect(await !service.isSignedIn(keys[1]))

        #expect(await service.isSignedIn(keys[0]))
        try await TestDatabase.current.setClock("2026-11-22T03:00:00Z")
        #expect(await !service.isSignedIn(keys[0]))
        #expect(await service.client.get("/api/v1/me/api-keys", bearer: bearer).json["items"].array == [])

        let activity = await service.client.get("/api/v1/me/activity", bearer: bearer).json["items"].array ?? []
        #expect(activity.prefix(3).map { $0["kind"].string } == ["api_key_ended", "api_key_made", "api_key_made"])
        #expect(activity.first?["details"] == ["key": "My clock"])
    }

    @Test func `names, scopes and days are checked, and so is how many there are`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        #expect(await make(service, bearer, name: "\u{200D}").code == "invalid_key_name")
        for scopes: JSON in [[], ["record"], ["admin"], ["read", "admin"], ["read", "read"]] {
            #expect(await make(service, bearer, scopes: scopes).code == "unknown_scopes")
        }
        for days in [0, -1, RuleNumber.mostApiKeyDays.value + 1, .max] {
            #expect(await make(service, bearer, days: .integer(days)).code == "invalid_key_days")
        }
        for _ in 0..<RuleNumber.mostApiKeys.value { #expect(await make(service, bearer).status == .created) }
        #expect(await make(service, bearer).code == "too_many_api_keys")
    }

    @Test func `the twenty devices do not push keys out, nor keys devices`() async throws {
        let service = try AccountsService(limits: .generous)
        let (_, bearer) = try await service.register()
        let key = try #require(await make(service, bearer).json["key"].string)
        for _ in 0..<20 { _ = try await service.bearer() }
        #expect(await !service.isSignedIn(bearer))
        #expect(await service.isSignedIn(key))
    }

    @Test func `a sign-in that ended meanwhile makes no key`() async throws {
        let service = try AccountsService()
        let (uid, _) = try await service.register()
        let store = KeyStore(database: service.test.service, secret: service.secret)
        let wanted = WantedKey(name: "My clock", scopes: [.read], days: 1)
        let client = try #require(ClientAddress("127.0.0.1"))
        let position = ChangeFeed.Position(number: 0, time: Instant(secondsSince1970: 0))
        let gone = Caller(uid: uid, signIn: ID(), isCookie: false, isKey: false, position: position)
        await #expect(throws: Refusal.accounts.notSignedIn) {
            try await store.add(wanted, for: gone, from: client)
        }
    }
}
