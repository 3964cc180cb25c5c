import Foundation
import HTTP
import Mail
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct RegistrationTests {
    @Test func `the mail's link opens an account and signs in`() async throws {
        let service = try AccountsService()
        let asked = await service.client.post(
            "/api/v1/registrations", json: ["email": " Ant@Example.ORG ", "locale": "ko"])
        #expect(asked.status == .accepted)
        #expect(asked.body.isEmpty)

        let (kind, message) = try #require(try await service.mail().first)
        #expect(kind == .registration)
        #expect(message.to.address == "Ant@Example.ORG")
        let link = try #require(message.link)
        #expect(link.hasPrefix("http://localhost:8080/welcome#token="))

        let answer = await service.client.post(
            "/api/v1/users",
            json: [
                "token": .string(String(link.suffix(43))), "nickname": " 여왕개미 ", "time_zone": "America/New_York",
                "password": .string(AccountsService.password), "locale": "ko",
            ])
        #expect(answer.status == .created)
        #expect(answer.headers["Location"] == "/api/v1/me")
        #expect(answer.headers["Cache-Control"] == "no-store")
        let user = answer.json["user"]
        #expect(user["email"] == "Ant@Example.ORG")
        #expect(user["nickname"] == "여왕개미")
        #expect(user["study_clock"] == ["time_zone": "America/New_York", "day_starts_at": "05:00"])
        #expect(user["daily_goal_seconds"] == 14400)
        #expect(user["global_board"] == false)
        #expect(user.names.contains("avatar_url"))

        let bearer = try #require(answer.json["sign_in"]["token"].string)
        let me = await service.client.get("/api/v1/me", bearer: bearer)
        #expect(me.json == user)
        #expect(try await service.signIn("ANT@example.org").status == .created)
    }

    @Test func `a known address gets the same answer and another mail`() async throws {
        let service = try AccountsService()
        try await service.register("Ant@example.org")
        try await service.test.advance(120)
        let known = await service.client.post("/api/v1/registrations", json: ["email": "ant@EXAMPLE.org"])
        let unknown = await service.client.post("/api/v1/registrations", json: ["email": "bee@example.org"])
        #expect(known.status == unknown.status)
        #expect(known.body == unknown.body)
        #expect(Array(known.headers.wire) == Array(unknown.headers.wire))

        let messages = try await service.mail()
        let toAnt = try #require(messages.first { $0.message.to.address == "Ant@example.org" })
        #expect(toAnt.message.link?.contains("token") == false)
        #expect(messages.contains { $0.message.to.address == "bee@example.org" })
        #expect(try await service.number("SELECT count(*) FROM auth_tokens WHERE used_at IS NULL") == 1)
    }

    @Test func `32 uses of one token at once make one user`() async throws {
        let service = try AccountsService(limits: .generous)
        let token = try await service.registrationToken("ant@example.org")
        let answers = await withTaskGroup(of: Answer.self) { group in
            for index in 0..<32 {
                group.addTask {
                    await service.client.post("/api/v1/users", json: service.user(token, nickname: "개미 \(index)"))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == .created }.count == 1)
        #expect(answers.filter { $0.code == "token_used_or_expired" }.count == 31)
        #expect(try await service.number("SELECT count(*) FROM users") == 1)
        #expect(try await service.number("SELECT count(*) FROM sign_ins") == 1)
    }

    @Test func `two tokens for one address at once make one user`() async throws {
        let service = try AccountsService()
        let first = try await service.registrationToken("ant@example.org")
        try await service.test.advance(120)
        let second = try await service.registrationToken("ANT@example.org")
        async let one = service.client.post("/api/v1/users", json: service.user(first))
        async let two = service.client.post("/api/v1/users", json: service.user(second))
        let statuses = await [one.status, two.status]
        #expect(statuses.contains(.created))
        #expect(statuses.contains(.gone))
        #expect(try await service.number("SELECT count(*) FROM users") == 1)
    }

    @Test func `nobody can prepare an account for another's address`() async throws {
        let service = try AccountsService()
        // The stranger asks for the victim's address and knows everything but the mail.
        #expect(
            await service.client.post("/api/v1/registrations", json: ["email": "ant@example.org"]).status == .accepted)
        for guess in ["", Token().text, String(repeating: "A", count: 43)] {
            #expect(
                await service.client.post("/api/v1/users", json: service.user(guess)).code == "token_used_or_expired")
        }
        #expect(try await service.signIn("ant@example.org").code == "wrong_credentials")
        #expect(try await service.number("SELECT count(*) FROM users") == 0)
        #expect(try await service.number("SELECT count(*) FROM user_emails") == 0)

        let token = try await service.mailedToken()
        #expect(await service.client.post("/api/v1/users", json: service.user(token)).status == .created)
        #expect(try await service.number("SELECT count(*) FROM sign_ins") == 1)
    }

    @Test func `a token lives for 24 hours and reading it uses nothing up`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let token = try await service.registrationToken("ant@example.org")
        let weak = await service.client.post("/api/v1/users", json: service.user(token, password: "anthill2026"))
        #expect(weak.status == .unprocessable)
        #expect(weak.code == "weak_password")
        #expect(weak.json["field"] == "password")

        try await service.test.advance(24 * 3600)
        #expect(await service.client.post("/api/v1/users", json: service.user(token)).code == "token_used_or_expired")
        try await service.test.advance(-1)
        #expect(await service.client.post("/api/v1/users", json: service.user(token)).status == .created)
    }

    @Test func `a token lives as long as the rules say, also where that is no whole hour`() async throws {
        let service = try AccountsService()
        try await service.test.sql(
            """
            CREATE OR REPLACE FUNCTION registration_link_life() RETURNS interval LANGUAGE sql IMMUTABLE
              RETURN interval '90 minutes'
            """)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let token = try await service.registrationToken("ant@example.org")
        try await service.test.advance(90 * 60)
        #expect(await service.client.post("/api/v1/users", json: service.user(token)).code == "token_used_or_expired")
        try await service.test.advance(-1)
        #expect(await service.client.post("/api/v1/users", json: service.user(token)).status == .created)
    }

    @Test func `a fourth token ends the first`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        var tokens: [String] = []
        for _ in 0..<4 {
            tokens.append(try await service.registrationToken("ant@example.org"))
            try await service.test.advance(61)
        }
        #expect(try await service.number("SELECT count(*) FROM auth_tokens") == 3)
        #expect(await service.client.post("/api/v1/users", json: service.user(tokens[0])).status == .gone)
        #expect(await service.client.post("/api/v1/users", json: service.user(tokens[1])).status == .created)
        #expect(await service.client.post("/api/v1/users", json: service.user(tokens[3])).status == .gone)
    }

    @Test func `a token of another purpose is nothing`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        try await service.test.advance(120)
        let reset = try await service.resetToken("ant@example.org")
        for token in [bearer, reset] {
            #expect(await service.client.post("/api/v1/users", json: service.user(token)).status == .gone)
        }
        let answer = await service.client.put(
            "/api/v1/password-resets", json: ["token": .string(bearer), "password": "a quite new one 7"])
        #expect(answer.status == .gone)
        #expect(await !service.isSignedIn(reset))
    }

    @Test(
        arguments: [
            (["nickname": ""], "invalid_nickname", "nickname"),
            (["nickname": "\u{202E}ant"], "invalid_nickname", "nickname"),
            (["time_zone": "FOO5"], "unknown_time_zone", "time_zone"),
            (["time_zone": "Mars/Olympus"], "unknown_time_zone", "time_zone"),
            (["locale": "de"], "unknown_locale", "locale"),
            (["delivery": "pigeon"], "unknown_delivery", "delivery"),
            (["password": "short"], "weak_password", "password"),
            (["password": "password123"], "weak_password", "password"),
            (["password": "ant@example.org"], "weak_password", "password"),
        ] as [([String: String], String, String)])
    func `what is against a rule is named and leaves the token alive`(
        change: [String: String], code: String, field: String
    ) async throws {
        let service = try AccountsService()
        let token = try await service.registrationToken("ant@example.org")
        var fields = ["token": token, "nickname": "여왕개미", "password": AccountsService.password]
        fields.merge(change) { $1 }
        let answer = await service.client.post(
            "/api/v1/users", json: .object(fields.mapValues { .string($0) }), headers: ["Accept-Language": "ko"])
        #expect(answer.status == .unprocessable)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
        #expect(answer.json["detail"].string?.contains { $0 >= "가" && $0 <= "힣" } == true)
        #expect(await service.client.post("/api/v1/users", json: service.user(token)).status == .created)
    }

    @Test func `what is no address is refused`() async throws {
        let service = try AccountsService()
        let answer = await service.client.post(
            "/api/v1/registrations", json: ["email": "ant@example.org\r\nBcc: x@y.z"])
        #expect(answer.status == .unprocessable)
        #expect(answer.code == "invalid_email")
        #expect(answer.json["field"] == "email")
        #expect(try await service.number("SELECT count(*) FROM mail_outbox") == 0)
    }

    @Test func `a mail that is composed twice brings a new token each time`() async throws {
        let service = try AccountsService()
        let first = try await service.registrationToken("ant@example.org")
        try await service.test.sql("UPDATE mail_outbox SET sent_at = NULL")
        let second = try await service.mailedToken()
        #expect(first != second)
        #expect(await service.client.post("/api/v1/users", json: service.user(second)).status == .created)
        #expect(await service.client.post("/api/v1/users", json: service.user(first)).status == .gone)
    }
}

extension Limits {
    /// For tests that do in a second what people do in an hour.
    static var generous: Limits {
        var limits = Limits()
        limits.apiRequests = Rate(100_000, in: 10)
        limits.passwordAttempts = Rate(100_000, in: 300)
        limits.tokenSubmissions = Rate(100_000, in: 300)
        limits.mailRequests = Rate(100_000, in: 3600)
        return limits
    }
}
