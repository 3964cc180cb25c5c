import API
import HTTP
import Mail
import Postgres
import TestSupport
import Testing

@testable import Accounts

/// Leaving: who may ask for it, what goes on meanwhile, and how it is taken back.
@Suite(.database) struct LeavingTests {
    @Test func `an account that will be deleted can only be looked at, taken along and kept`() async throws {
        let service = try AccountsService { gate in
            [gate.user(.get, "/api/v1/elsewhere") { _, _ in .noContent }]
        }
        let (_, bearer) = try await service.register()
        #expect(await service.client.get("/api/v1/elsewhere", bearer: bearer).status == .noContent)
        #expect(await service.leave(bearer).status == .accepted)
        let refused = await service.client.get("/api/v1/elsewhere", bearer: bearer)
        #expect(refused.status == .unauthorized)
        #expect(refused.code == "account_leaving")
        #expect(await service.client.get("/api/v1/me", bearer: bearer).json["leaves_at"].string != nil)
        #expect(await service.client.post("/api/v1/me/return", bearer: bearer).json["leaves_at"].isNull)
        #expect(await service.client.get("/api/v1/elsewhere", bearer: bearer).status == .noContent)
    }

    @Test func `all other sign-ins end, and links in mails with them`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        let other = try await service.bearer()
        let token = try await service.resetToken("ant@example.org")
        #expect(await service.leave(bearer).status == .accepted)
        #expect(await !service.isSignedIn(other))
        let reset = await service.client.put(
            "/api/v1/password-resets", json: ["token": .string(token), "password": "quiet herons at noon"])
        #expect(reset.code == "token_used_or_expired")
        #expect(try await service.number("SELECT count(*)::integer FROM sign_ins WHERE uid = \(uid)") == 1)
    }

    @Test func `a sign-in keeps the account and says when it would have gone`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let due = await service.leave(bearer).json["leaves_at"]
        let answer = try await service.signIn()
        #expect(answer.status == .created)
        #expect(answer.json["would_have_left_at"] == due)
        #expect(answer.json["user"]["leaves_at"].isNull)
        #expect(await service.isSignedIn(bearer))
        #expect(try await service.signIn().json["would_have_left_at"].isNull)
    }

    @Test func `a sign-in ends with the account, also one that is kept in memory`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        #expect(await service.leave(bearer).status == .accepted)
        try await service.test.advance(6 * 86400)
        #expect(await service.isSignedIn(bearer))
        try await service.test.advance(86400)
        #expect(await !service.isSignedIn(bearer))
        #expect(try await service.signIn().code == "wrong_credentials")
    }

    @Test func `where there is a password it alone confirms, whatever a provider said`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        try await service.test.sql("UPDATE sign_ins SET fresh_until = anthill_clock() + interval '1 minute'")
        let refused = await service.leave(bearer, [:])
        #expect(refused.code == "confirmation_required")
        #expect(refused.json["field"].string == "password")
        #expect(await service.leave(bearer).status == .accepted)
    }

    @Test func `a provider that vouched a moment ago stands in for a password that is not set`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        _ = try await service.test.database.write("UPDATE users SET password_hash = NULL WHERE uid = \(uid)")
        try await service.test.advance(5 * 60)
        #expect(await service.leave(bearer, [:]).code == "confirmation_required")
        _ = try await service.test.database.write(
            "UPDATE sign_ins SET fresh_until = anthill_clock() + interval '1 second' WHERE uid = \(uid)")
        #expect(await service.leave(bearer, [:]).status == .accepted)
    }

    @Test func `the letter says when, and is not sent to a user who has come back`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        #expect(await service.leave(bearer).status == .accepted)
        let (kind, message) = try #require(try await service.mail().first)
        #expect(kind.rawValue == "account_leaving")
        #expect(message.link == "\(AccountsService.baseURL)/sign-in")
        #expect(message.text.contains("(Asia/Seoul)"))
        #expect(await service.client.post("/api/v1/me/return", bearer: bearer).status == .ok)
        try await service.test.advance(61)
        #expect(await service.leave(bearer).status == .accepted)
        #expect(await service.client.post("/api/v1/me/return", bearer: bearer).status == .ok)
        #expect(try await service.mail().isEmpty)
    }

    @Test func `accounts that are due are erased, and one that cannot be keeps no other waiting`() async throws {
        let service = try AccountsService()
        let limits = LimitsStore(database: service.test.database, secret: service.secret, limits: Limits())
        let leaving = LeavingStore(database: service.test.database, limits: limits)
        var people: [ID] = []
        for name in ["first", "second", "third"] {
            let (uid, bearer) = try await service.register("\(name)@example.org")
            #expect(await service.leave(bearer).status == .accepted)
            _ = try await service.mail()
            _ = try await service.signIn("\(name)@example.org", "not the password")
            people.append(uid)
            try await service.test.advance(61)
        }
        // By hand: an account that was made the only owner of a group.
        _ = try await service.test.database.write("SELECT create_group(\(people[0]), 'Larks')")
        try await leaving.eraseDue()
        #expect(try await service.number("SELECT count(*)::integer FROM users") == 3)
        try await service.test.advance(7 * 86400)
        await #expect(throws: PostgresError.self) { try await leaving.eraseDue() }
        #expect(try await service.number("SELECT count(*)::integer FROM users") == 1)
        #expect(
            try await service.number(
                "SELECT count(*)::integer FROM rate_limits WHERE kind LIKE 'wrong_password%'") == 2)
    }
}
