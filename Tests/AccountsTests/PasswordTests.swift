import HTTP
import Mail
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct PasswordTests {
    private let new = "a quite new one 7"

    private func reset(_ service: AccountsService, _ token: String, _ password: String) async -> Answer {
        await service.client.put(
            "/api/v1/password-resets", json: ["token": .string(token), "password": .string(password)])
    }

    @Test func `a reset sets the password, ends every sign-in, begins none and tells the owner`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let token = try await service.resetToken("ANT@example.org")
        let weak = await reset(service, token, "ant@example.org")
        #expect(weak.code == "weak_password")
        let answer = await reset(service, token, new)
        #expect(answer.status == .noContent)
        #expect(answer.headers["Set-Cookie"] == nil)
        #expect(await !service.isSignedIn(bearer))
        #expect(try await service.number("SELECT count(*) FROM sign_ins") == 0)
        #expect(try await service.mail().map(\.kind) == [.passwordChanged])
        #expect(try await service.signIn().code == "wrong_credentials")
        #expect(try await service.signIn("ant@example.org", new).status == .created)
        #expect(await reset(service, token, new).code == "token_used_or_expired")
    }

    @Test func `32 uses of one reset at once set one password`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.register()
        let token = try await service.resetToken("ant@example.org")
        let winners = await withTaskGroup(of: String?.self) { group in
            for index in 0..<32 {
                group.addTask {
                    let password = "a quite new one \(index)"
                    return await reset(service, token, password).status == .noContent ? password : nil
                }
            }
            return await group.reduce(into: [String]()) { if let winner = $1 { $0.append(winner) } }
        }
        #expect(winners.count == 1)
        #expect(try await service.signIn("ant@example.org", try #require(winners.first)).status == .created)
        #expect(try await service.number("SELECT auth_epoch FROM users") == 2)
    }

    @Test func `asking for a reset answers the same for an unknown address`() async throws {
        let service = try AccountsService()
        try await service.register()
        let known = await service.client.post("/api/v1/password-resets", json: ["email": "ant@example.org"])
        let unknown = await service.client.post("/api/v1/password-resets", json: ["email": "bee@example.org"])
        #expect(known.status == .accepted)
        #expect(known.status == unknown.status)
        #expect(known.body == unknown.body)
        let messages = try await service.mail()
        #expect(messages.count == 2)
        #expect(messages.first { $0.message.to.address == "bee@example.org" }?.message.link?.contains("token") == false)
    }

    @Test func `a reset's token lives for half an hour`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        try await service.register()
        let token = try await service.resetToken("ant@example.org")
        try await service.test.advance(1800)
        #expect(await reset(service, token, new).status == .gone)
        try await service.test.advance(-1)
        #expect(await reset(service, token, new).status == .noContent)
    }

    @Test func `every reset's token dies when the password changes`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (_, bearer) = try await service.register()
        let first = try await service.resetToken("ant@example.org")
        try await service.test.advance(61)
        let second = try await service.resetToken("ant@example.org")
        #expect(await reset(service, second, new).status == .noContent)
        #expect(await reset(service, first, new).status == .gone)
        #expect(await !service.isSignedIn(bearer))
    }

    @Test func `a reset's token of an older epoch is nothing`() async throws {
        let service = try AccountsService()
        try await service.register()
        let token = try await service.resetToken("ant@example.org")
        try await service.test.sql("UPDATE users SET auth_epoch = auth_epoch + 1")
        #expect(await reset(service, token, new).status == .gone)
    }

    @Test func `with the old password comes a new one; this sign-in goes on and all others end`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let other = try await service.bearer()
        let reset = try await service.resetToken("ant@example.org")
        let answer = await service.client.put(
            "/api/v1/me/password", json: ["current": .string(AccountsService.password), "new": .string(new)],
            bearer: bearer)
        #expect(answer.status == .noContent)
        #expect(await service.isSignedIn(bearer))
        #expect(await !service.isSignedIn(other))
        #expect(await self.reset(service, reset, new).status == .gone)
        let notice = try #require(try await service.mail().first)
        #expect(notice.kind == .passwordChanged)
        #expect(notice.message.to.address == "ant@example.org")
        #expect(try await service.signIn("ant@example.org", new).status == .created)
    }

    @Test func `without the old password nothing changes, and guessing it is held up`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        for _ in 0..<6 {
            let answer = await service.client.put(
                "/api/v1/me/password", json: ["current": "wrong", "new": .string(new)], bearer: bearer)
            #expect(answer.status == .forbidden)
            #expect(answer.code == "wrong_password")
            #expect(answer.json["field"] == "current")
        }
        let held = await service.client.put(
            "/api/v1/me/password", json: ["current": .string(AccountsService.password), "new": .string(new)],
            bearer: bearer)
        #expect(held.code == "too_many_attempts")
        #expect(await service.isSignedIn(bearer))
    }

    @Test func `a new password meets the same rules`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let answer = await service.client.put(
            "/api/v1/me/password", json: ["current": .string(AccountsService.password), "new": "여왕개미여왕개미2026"],
            bearer: bearer)
        #expect(answer.code == "weak_password")
        #expect(answer.json["field"] == "new")
    }
}
