import API
import HTTP
import Mail
import Postgres
import Reactor
import TestSupport
import Testing

@testable import Accounts

/// Somebody took over a sign-in and the password, or owns the new address: the owner of the old address gets
/// the account back, and nobody else keeps anything of it.
@Suite(.database) struct EmailReturnTests {
    private let new = "a quite new one 7"

    /// Asks for the address, and answers the tokens that both mails bring.
    private func ask(
        _ service: AccountsService, _ email: String, _ bearer: String, _ password: String = AccountsService.password
    ) async throws -> (change: String, back: String) {
        try await service.test.advance(61)
        #expect(await service.ask(email, bearer, password: password).status == .accepted)
        let mail = try await service.mailedTokens()
        return (
            try #require(mail.first { $0.kind == .emailChange }?.token),
            try #require(mail.first { $0.kind == .emailChangeNotice }?.token)
        )
    }

    /// The owner of `ant@example.org` has the account, and each of these is worth nothing.
    private func expectReturned(_ service: AccountsService, _ uid: ID, bearers: [String], tokens: [String]) async throws
    {
        #expect(try await service.address(of: uid) == "ant@example.org")
        for bearer in bearers { #expect(await !service.isSignedIn(bearer)) }
        #expect(try await service.number("SELECT count(*) FROM sign_ins WHERE uid = \(uid)") == 0)
        #expect(try await service.number("SELECT count(*) FROM user_identities WHERE uid = \(uid)") == 0)
        for password in [AccountsService.password, new] {
            #expect(try await service.signIn("ant@example.org", password).code == "wrong_credentials")
        }
        for token in tokens {
            #expect(await service.confirm(token).status == .gone)
            #expect(await service.takeBack(token).status == .gone)
            let reset = await service.client.put(
                "/api/v1/password-resets", json: ["token": .string(token), "password": .string(new)])
            #expect(reset.status == .gone)
        }
        let mail = try await service.mailedTokens().filter { $0.to == "ant@example.org" }
        #expect(mail.map(\.kind) == [.emailReturned])
        let answer = await service.client.put(
            "/api/v1/password-resets",
            json: ["token": .string(try #require(mail.first?.token)), "password": "the owner's own 9"])
        #expect(answer.status == .noContent)
        #expect(try await service.signIn("ant@example.org", "the owner's own 9").status == .created)
    }

    @Test func `before the change is confirmed the link prevents it and shuts everybody out`() async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, thief) = try await service.register()
        let (change, back) = try await ask(service, "thief@example.org", thief)
        #expect(await service.takeBack(back).status == .noContent)
        try await expectReturned(service, uid, bearers: [thief], tokens: [change, back])
    }

    @Test func `the link comes while the account is suspended, too`() async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, thief) = try await service.register()
        #expect(await service.ask("thief@example.org", thief).status == .accepted)
        try await service.test.sql("UPDATE users SET status = 'suspended'")
        let mail = try await service.mailedTokens()
        #expect(mail.map(\.kind) == [.emailChangeNotice])
        #expect(await service.takeBack(try #require(mail.first?.token)).status == .noContent)
        try await service.test.sql("UPDATE users SET status = 'active'")
        #expect(try await service.address(of: uid) == "ant@example.org")
        #expect(await !service.isSignedIn(thief))
    }

    @Test func `after it was confirmed the link takes everything back that was done since`() async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, thief) = try await service.register()
        let (change, back) = try await ask(service, "thief@example.org", thief)
        #expect(await service.confirm(change).status == .noContent)
        // Another password, a provider's identity, a further address, and links of the thief's own.
        let other = try await service.bearer("thief@example.org")
        let changed = await service.client.put(
            "/api/v1/me/password", json: ["current": .string(AccountsService.password), "new": .string(new)],
            bearer: thief)
        #expect(changed.status == .noContent)
        try await service.test.sql("INSERT INTO user_identities (issuer, subject, uid) VALUES ('i', 's', '\(uid)')")
        let (further, thiefsBack) = try await ask(service, "second@example.org", thief, new)
        #expect(await service.confirm(further).status == .noContent)
        try await service.test.advance(3600)
        let reset = try await service.resetToken("second@example.org")

        try await service.test.advance(6 * 86400)
        #expect(await service.takeBack(back).status == .noContent)
        try await expectReturned(
            service, uid, bearers: [thief, other], tokens: [change, further, thiefsBack, reset, back])
    }

    @Test func `after a change by the operator the old address gets the account back`() async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, thief) = try await service.register()
        try await service.test.sql(
            "SELECT admin_change_email('\(uid)', 'Thief@example.org', 'talked into it', 'Maria')")
        #expect(await !service.isSignedIn(thief))
        #expect(try await service.address(of: uid) == "Thief@example.org")
        #expect(try await service.signIn("thief@example.org", AccountsService.password).status == .created)
        let notice = try #require(try await service.mailedTokens().first { $0.kind == .emailChangeNotice })
        #expect(notice.to == "ant@example.org")
        #expect(await service.takeBack(notice.token).status == .noContent)
        try await expectReturned(service, uid, bearers: [thief], tokens: [notice.token])
    }

    @Test func `the thief's own link, used first, does not outlive the owner's`() async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, thief) = try await service.register()
        let (change, back) = try await ask(service, "thief@example.org", thief)
        #expect(await service.confirm(change).status == .noContent)
        let (further, thiefsBack) = try await ask(service, "second@example.org", thief)
        #expect(await service.confirm(further).status == .noContent)
        #expect(await service.takeBack(thiefsBack).status == .noContent)
        #expect(try await service.address(of: uid) == "thief@example.org")
        _ = try await service.mail()

        #expect(await service.takeBack(back).status == .noContent)
        try await expectReturned(service, uid, bearers: [thief], tokens: [further, thiefsBack])
    }

    @Test func `asking for the deletion of the account does not end the owner's claim, and the link keeps the account`()
        async throws
    {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (uid, thief) = try await service.register()
        let (change, back) = try await ask(service, "thief@example.org", thief)
        #expect(await service.confirm(change).status == .noContent)
        #expect(await service.leave(thief).status == .accepted)
        _ = try await service.mail()
        // The old address asks for a reset and gets another link.
        try await service.test.advance(61)
        #expect(
            await service.client.post("/api/v1/password-resets", json: ["email": "ant@example.org"]).status == .accepted
        )
        let later = try #require(try await service.mailedTokens().first?.token)

        try await service.test.advance(6 * 86400)
        #expect(await service.takeBack(back).status == .noContent)
        #expect(try await service.number("SELECT count(*) FROM users WHERE leaves_at IS NULL") == 1)
        let events = try await service.test.database.read(
            "SELECT kind FROM audit_events WHERE uid = \(uid) ORDER BY at DESC, id DESC LIMIT 2"
        ).decode(String.self)
        #expect(Set(events) == ["account_kept", "email_taken_back"])
        try await expectReturned(service, uid, bearers: [thief], tokens: [change, later, back])
    }

    @Test func `once the account is due to be deleted the link does nothing`() async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, thief) = try await service.register()
        let (_, back) = try await ask(service, "thief@example.org", thief)
        #expect(await service.leave(thief).status == .accepted)
        try await service.test.sql("UPDATE users SET leaves_at = anthill_clock()")
        #expect(await service.takeBack(back).code == "token_used_or_expired")
        #expect(try await service.number("SELECT count(*) FROM users WHERE uid = \(uid) AND leaves_at IS NULL") == 0)
    }

    @Test func `changing to the old address and away again does not end the owner's claim`() async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, thief) = try await service.register()
        let (change, back) = try await ask(service, "thief@example.org", thief)
        #expect(await service.confirm(change).status == .noContent)
        let (there, thiefsBack) = try await ask(service, "ant@example.org", thief)
        // The owner is talked into it.
        #expect(await service.confirm(there).status == .noContent)
        #expect(await service.takeBack(thiefsBack).status == .noContent)
        #expect(try await service.address(of: uid) == "thief@example.org")
        _ = try await service.mail()

        #expect(await service.takeBack(back).status == .noContent)
        try await expectReturned(service, uid, bearers: [thief], tokens: [change, there, thiefsBack])
    }

    @Test func `the old address is reserved for seven days, and its mail says how to get it back`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let early = try await service.registrationToken("early@example.org")
        try await service.test.advance(61)
        let (_, bearer) = try await service.register("early@example.org")
        let (_, other) = try await service.register("bee@example.org")
        let (change, _) = try await ask(service, "new@example.org", bearer)
        #expect(await service.confirm(change).status == .noContent)

        // A token from before the account existed, a new registration, a reset, a reminder, somebody else's wish.
        #expect(await service.client.post("/api/v1/users", json: service.user(early)).status == .gone)
        for path in ["registrations", "password-resets", "email-reminders"] {
            try await service.test.advance(4000)
            let answer = await service.client.post("/api/v1/\(path)", json: ["email": "early@example.org"])
            #expect(answer.status == .accepted)
            let mail = try await service.mail()
            #expect(mail.count == 1)
            #expect(mail[0].message.link?.contains("/keep-email#token=") == true, "\(path)")
            #expect(mail[0].message.text.contains("new@example.org"))
        }
        #expect(await service.ask("early@example.org", other).status == .accepted)
        let told = try await service.mail().first { $0.kind == .emailChange }
        #expect(told?.message.link == "\(AccountsService.baseURL)/sign-in")

        try await service.test.advance(8 * 86400)
        let registration = try await service.registrationToken("early@example.org")
        #expect(await service.client.post("/api/v1/users", json: service.user(registration)).status == .created)
    }

    @Test func `after seven days the link does nothing`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (uid, bearer) = try await service.register()
        let (change, back) = try await ask(service, "new@example.org", bearer)
        #expect(await service.confirm(change).status == .noContent)
        try await service.test.advance(7 * 86400)
        #expect(await service.takeBack(back).code == "token_used_or_expired")
        #expect(try await service.address(of: uid) == "new@example.org")
        #expect(await service.isSignedIn(bearer))
        try await Chore.removeExpired(service.test.database).run()
        #expect(try await service.number("SELECT count(*) FROM former_emails") == 0)
    }

    @Test(arguments: [(7 * 86400 - 1, 204), (7 * 86400, 410)])
    func `the link of a later notice works while the old address is held, and no second longer`(
        seconds: Int, status: Int
    ) async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (_, bearer) = try await service.register()
        let (change, _) = try await ask(service, "new@example.org", bearer)
        #expect(await service.confirm(change).status == .noContent)
        try await service.test.advance(3 * 86400)
        _ = await service.client.post("/api/v1/password-resets", json: ["email": "ant@example.org"])
        let later = try #require(try await service.mailedTokens().first?.token)
        try await service.test.advance(seconds - 3 * 86400)
        #expect(await service.takeBack(later).status.code == status)
    }

    @Test(arguments: 0..<5)
    func `32 uses of the link at once, and the change's own beside them, end with the old address`(
        round: Int
    ) async throws {
        let service = try AccountsService(limits: .generous)
        let (uid, thief) = try await service.register()
        let (change, back) = try await ask(service, "thief@example.org", thief)
        let statuses = await withTaskGroup(of: Status?.self) { group in
            group.addTask {
                let status = await service.confirm(change).status
                return status == .noContent || status == .gone ? nil : status
            }
            for _ in 0..<32 { group.addTask { await service.takeBack(back).status } }
            return await group.reduce(into: [Int: Int]()) { if let status = $1 { $0[status.code, default: 0] += 1 } }
        }
        #expect(statuses == [204: 1, 410: 31])
        try await expectReturned(service, uid, bearers: [thief], tokens: [change, back])
    }
}
