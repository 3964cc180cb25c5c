import API
import HTTP
import Mail
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct EmailChangeTests {
    @Test func `a confirmed change moves the account, keeps the sign-in that asked, and ends all others`() async throws
    {
        let service = try AccountsService()
        let (uid, phone) = try await service.register()
        let laptop = try await service.bearer()
        let reset = try await service.resetToken("ant@example.org")
        #expect(await service.ask("New@Example.org", phone).status == .accepted)
        let mail = try await service.mailedTokens()
        #expect(mail.map(\.kind.rawValue).sorted() == ["email_change", "email_change_notice"])
        #expect(mail.map(\.to).sorted() == ["New@Example.org", "ant@example.org"])
        #expect(try await service.address(of: uid) == "ant@example.org")

        let token = try #require(mail.first { $0.kind == .emailChange }?.token)
        #expect(await service.confirm(token).status == .noContent)
        #expect(try await service.address(of: uid) == "New@Example.org")
        #expect(await service.isSignedIn(phone))
        #expect(await !service.isSignedIn(laptop))
        #expect(try await service.signIn("ant@example.org").code == "wrong_credentials")
        #expect(try await service.signIn("new@example.org").status == .created)
        #expect(
            await service.client.put(
                "/api/v1/password-resets", json: ["token": .string(reset), "password": "a quite new one 7"]
            ).status == .gone)
        #expect(await service.confirm(token).code == "token_used_or_expired")
        let kinds = try await service.test.database.read(
            "SELECT kind FROM audit_events WHERE uid = \(uid) AND kind LIKE 'email%' ORDER BY id"
        ).decode(String.self)
        #expect(kinds == ["email_change_requested", "email_changed"])
    }

    @Test func `it takes the password, another address, and a sign-in`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let wrong = await service.ask("new@example.org", bearer, password: "not this one 1")
        #expect(wrong.code == "wrong_password")
        #expect(wrong.json["field"] == "password")
        #expect(await service.ask("ANT@example.org", bearer).code == "email_unchanged")
        #expect(await service.ask("nobody", bearer).code == "invalid_email")
        #expect(await service.ask("new@example.org", Token().text).code == "not_signed_in")
        #expect(try await service.mail().isEmpty)
        // Not even with a key is a wrong password forgotten.
        for _ in 0..<5 {
            _ = await service.ask(
                "new@example.org", bearer, password: "not this one 1", headers: ["Idempotency-Key": "\(ID())"])
        }
        #expect(await service.ask("new@example.org", bearer).code == "too_many_attempts")
    }

    @Test func `nobody learns whether the new address has an account; its owner is told by mail`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        let (other, _) = try await service.register("bee@example.org")
        let free = await service.ask("new@example.org", bearer)
        let taken = await service.ask("bee@example.org", bearer)
        #expect(free.status == .accepted && taken.status == .accepted && free.body == taken.body)
        let mail = try await service.mail()
        #expect(Set(mail.map(\.message.to.address)) == ["ant@example.org", "bee@example.org"])
        #expect(mail.first { $0.kind == .emailChange }?.message.link == "\(AccountsService.baseURL)/sign-in")
        #expect(try await service.address(of: uid) == "ant@example.org")
        #expect(try await service.address(of: other) == "bee@example.org")
    }

    @Test func `an address that somebody got in the meantime is not given away`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        let registration = try await service.registrationToken("new@example.org")
        _ = await service.ask("new@example.org", bearer)
        let token = try #require(try await service.mailedTokens().first { $0.kind == .emailChange }?.token)
        #expect(await service.client.post("/api/v1/users", json: service.user(registration)).status == .created)
        #expect(await service.confirm(token).code == "token_used_or_expired")
        #expect(try await service.address(of: uid) == "ant@example.org")
        #expect(await service.isSignedIn(bearer))
    }

    @Test func `the last wish counts, and only while it may`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (uid, bearer) = try await service.register()
        func asked(_ email: String) async throws -> String {
            try await service.test.advance(61)
            #expect(await service.ask(email, bearer).status == .accepted)
            return try #require(try await service.mailedTokens().first { $0.to == email }?.token)
        }
        let first = try await asked("first@example.org")
        let second = try await asked("second@example.org")
        #expect(try await service.number("SELECT count(*) FROM email_changes") == 1)
        #expect(await service.confirm(first).status == .gone)
        try await service.test.advance(1800)
        #expect(await service.confirm(second).status == .gone)

        // A new password ends it, and so does the end of the sign-in that asked.
        let third = try await asked("third@example.org")
        _ = await service.client.put(
            "/api/v1/me/password",
            json: ["current": .string(AccountsService.password), "new": "a quite new one 7"], bearer: bearer)
        #expect(await service.confirm(third).status == .gone)
        try await service.test.advance(61)
        #expect(await service.ask("fourth@example.org", bearer, password: "a quite new one 7").status == .accepted)
        let fourth = try #require(try await service.mailedTokens().first { $0.to == "fourth@example.org" }?.token)
        _ = await service.client.delete("/api/v1/sign-ins/current", bearer: bearer)
        #expect(await service.confirm(fourth).status == .gone)
        #expect(try await service.address(of: uid) == "ant@example.org")
    }

    @Test func `a wish from before a new password is not mailed after it`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        _ = await service.ask("new@example.org", bearer)
        _ = await service.client.put(
            "/api/v1/me/password",
            json: ["current": .string(AccountsService.password), "new": "a quite new one 7"], bearer: bearer)
        #expect(try await service.mail().allSatisfy { $0.kind != .emailChange })
    }

    @Test func `a change that waits is seen and can be withdrawn, and its link then does nothing`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        let path = "/api/v1/me/email-changes"
        func waiting() async -> JSON { await service.client.get("/api/v1/me", bearer: bearer).json["new_email"] }
        #expect(await waiting() == .null)
        #expect(await service.client.delete(path, bearer: bearer).status == .notFound)
        _ = await service.ask("New@example.org", bearer)
        #expect(await waiting() == "New@example.org")
        let token = try #require(try await service.mailedTokens().first { $0.kind == .emailChange }?.token)
        let (_, stranger) = try await service.register("bee@example.org")
        #expect(await service.client.delete(path, bearer: stranger).status == .notFound)

        #expect(await service.client.delete(path, bearer: bearer).status == .noContent)
        #expect(await waiting() == .null)
        #expect(await service.client.delete(path, bearer: bearer).status == .notFound)
        #expect(await service.confirm(token).code == "token_used_or_expired")
        #expect(try await service.address(of: uid) == "ant@example.org")
        #expect(try await service.number("SELECT count(*) FROM auth_tokens WHERE purpose = 'email_change'") == 0)
        #expect(
            try await service.number(
                "SELECT count(*) FROM audit_events WHERE kind = 'email_change_withdrawn' AND uid = \(uid)") == 1)
    }

    @Test func `a change that is withdrawn before its mails leave sends none`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        _ = await service.ask("new@example.org", bearer)
        #expect(await service.client.delete("/api/v1/me/email-changes", bearer: bearer).status == .noContent)
        #expect(try await service.mail().isEmpty)
    }

    @Test func `a change from before a new password is not shown`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        _ = await service.ask("new@example.org", bearer)
        _ = await service.client.put(
            "/api/v1/me/password",
            json: ["current": .string(AccountsService.password), "new": "a quite new one 7"], bearer: bearer)
        #expect(await service.client.get("/api/v1/me", bearer: bearer).json["new_email"] == .null)
    }

    @Test func `a change is either confirmed or withdrawn`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (uid, bearer) = try await service.register()
        for round in 0..<20 {
            try await service.test.advance(3 * 3600)
            let (old, new) = (try await service.address(of: uid), "new\(round)@example.org")
            #expect(await service.ask(new, bearer).status == .accepted)
            let token = try #require(try await service.mailedTokens().first { $0.kind == .emailChange }?.token)
            async let confirmed = service.confirm(token)
            async let withdrawn = service.client.delete("/api/v1/me/email-changes", bearer: bearer)
            let statuses = await [confirmed.status.code, withdrawn.status.code]
            #expect(statuses == [204, 404] || statuses == [410, 204], "\(statuses)")
            #expect(try await service.address(of: uid) == (statuses[0] == 204 ? new : old))
        }
    }

    @Test func `32 uses of one link at once change the address once`() async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, bearer) = try await service.register()
        _ = await service.ask("new@example.org", bearer)
        let token = try #require(try await service.mailedTokens().first { $0.kind == .emailChange }?.token)
        let statuses = await withTaskGroup(of: Status.self) { group in
            for _ in 0..<32 { group.addTask { await service.confirm(token).status } }
            return await group.reduce(into: [Int: Int]()) { $0[$1.code, default: 0] += 1 }
        }
        #expect(statuses == [204: 1, 410: 31])
        #expect(try await service.number("SELECT auth_epoch FROM users WHERE uid = \(uid)") == 2)
    }

    @Test func `asking and signing out at once: neither waits for the other for ever`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.register()
        for round in 0..<20 {
            let bearer = try await service.bearer()
            #expect(await service.ask("a\(round)@example.org", bearer).status == .accepted)
            async let asked = service.ask("b\(round)@example.org", bearer)
            async let ended = service.client.delete("/api/v1/sign-ins/current", bearer: bearer)
            let statuses = await (asked.status, ended.status)
            #expect([.accepted, .unauthorized].contains(statuses.0) && statuses.1 == .noContent, "\(statuses)")
            #expect(try await service.number("SELECT count(*) FROM email_changes") == 0)
        }
    }

    @Test func `two links at once, for one address or for a reset beside it: one wins and none is stuck`() async throws
    {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        var (_, bearer) = try await service.register()
        var password = AccountsService.password
        for round in 0..<20 {
            try await service.test.advance(3 * 3600)
            var tokens: [String] = []
            for _ in 0..<2 {
                try await service.test.advance(61)
                #expect(await service.ask("new\(round)@example.org", bearer, password: password).status == .accepted)
                tokens += try await service.mailedTokens().filter { $0.kind == .emailChange }.map(\.token)
            }
            let now = try #require(await service.client.get("/api/v1/me", bearer: bearer).json["email"].string)
            let reset = try await service.resetToken(now)
            #expect(tokens.count == 2)
            let wanted = "a quite new one \(round)"
            let statuses = await withTaskGroup(of: Status.self) { group in
                for token in tokens { group.addTask { await service.confirm(token).status } }
                group.addTask {
                    await service.client.put(
                        "/api/v1/password-resets", json: ["token": .string(reset), "password": .string(wanted)]
                    ).status
                }
                return await group.reduce(into: [Int]()) { $0.append($1.code) }.sorted()
            }
            #expect(statuses == [204, 410, 410], "round \(round)")
            _ = try await service.mail()
            let address = try await service.test.database.read("SELECT email FROM user_emails").decode(String.self)
            if try await service.signIn(address[0], wanted).status == .created { password = wanted }
            bearer = try await service.bearer(address[0], password)
        }
    }
}

extension AccountsService {
    struct MailedToken: Sendable {
        let kind: MailKind
        let to: String
        let token: String
    }

    func ask(
        _ email: String, _ bearer: String, password: String = AccountsService.password, headers: Headers = [:]
    ) async -> Answer {
        await client.post(
            "/api/v1/me/email-changes", json: ["email": .string(email), "password": .string(password)],
            bearer: bearer, headers: headers)
    }

    func confirm(_ token: String) async -> Answer {
        await client.post("/api/v1/email-changes", json: ["token": .string(token)])
    }

    func takeBack(_ token: String) async -> Answer {
        await client.post("/api/v1/email-changes/cancellations", json: ["token": .string(token)])
    }

    /// The tokens in all mails that are due.
    func mailedTokens() async throws -> [MailedToken] {
        try await mail().compactMap { kind, message in
            guard let link = message.link, let mark = link.firstRange(of: "#token=") else { return nil }
            return MailedToken(kind: kind, to: message.to.address, token: String(link[mark.upperBound...]))
        }
    }

    func address(of uid: ID) async throws -> String {
        try #require(
            try await test.database.read("SELECT email FROM user_emails WHERE uid = \(uid)").decode(String.self).first)
    }
}
