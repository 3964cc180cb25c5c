import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts
@testable import Mail

/// Which mail one gets, and whether it arrives.
@Suite(.database) struct MailSwitchTests {
    private func path(_ service: AccountsService, _ kind: Switch, _ uid: ID) throws -> String {
        let link = OptOuts(secret: service.secret, baseURL: AccountsService.baseURL).link(kind, of: uid)
        return String(link.dropFirst(AccountsService.baseURL.count))
    }

    /// What a mail program sends: RFC 8058.
    private func click(_ service: AccountsService, _ path: String) async -> Answer {
        await service.client.send(
            .post, path, text: "List-Unsubscribe=One-Click",
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
    }

    @Test(arguments: Switch.allCases)
    func `one click turns off this switch for this person, without a sign-in, and again`(kind: Switch)
        async throws
    {
        let service = try AccountsService()
        let ant = try await service.register("ant@example.org")
        let bee = try await service.register("bee@example.org")
        let allOn = Switch.allCases.map { "\($0.rawValue) = true" }.joined(separator: ", ")
        try await service.test.sql("UPDATE users SET \(allOn)")
        let path = try path(service, kind, ant.uid)
        for _ in 1...2 { #expect(await click(service, path).status == .noContent) }
        let mine = await service.client.get("/api/v1/me", bearer: ant.bearer).json
        for other in Switch.allCases { #expect(mine[other.rawValue] == .bool(other != kind)) }
        let theirs = await service.client.get("/api/v1/me", bearer: bee.bearer).json
        for other in Switch.allCases { #expect(theirs[other.rawValue] == true) }
    }

    @Test func `an altered link is invalid`() async throws {
        let service = try AccountsService()
        let (ant, _) = try await service.register("ant@example.org")
        let (bee, _) = try await service.register("bee@example.org")
        let good = try path(service, .unattendedMail, ant)
        let token = try #require(good.split(separator: "/").last)
        let others = try #require(try path(service, .unattendedMail, bee).split(separator: "/").last)
        let stranger = OptOuts(secret: Secret("another secret"), baseURL: "").link(.unattendedMail, of: ant)
        for path in [
            "/unsubscribe/digest_mail/\(token)", "/unsubscribe/sounds/\(token)", good + "A", String(good.dropLast()),
            "/unsubscribe/unattended_mail/\(others.prefix(22))\(token.dropFirst(22))", stranger,
        ] {
            #expect(await click(service, path).status == .notFound, "\(path)")
        }
        #expect(try await service.number("SELECT count(*) FROM users WHERE unattended_mail") == 2)
    }

    @Test func `every kind of mail that can be turned off has a switch of that name in the settings`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        for kind in Switch.allCases {
            let changed = await service.client.patch("/api/v1/me", json: [kind.rawValue: true], bearer: bearer)
            #expect(changed.json[kind.rawValue] == true)
        }
    }

    @Test func `its owner sees that mail does not arrive, and tries again`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (_, bearer) = try await service.register("Ant@example.org")
        #expect(await service.client.get("/api/v1/me", bearer: bearer).json["mail_refused"].isNull)
        try await service.test.sql("SELECT note_refused_address('Ant@example.org', 550)")
        try await service.test.advance(60)
        try await service.test.sql("SELECT note_refused_address('Ant@example.org', 553)")
        let refused = await service.client.get("/api/v1/me", bearer: bearer).json["mail_refused"]
        #expect(refused == ["since": "2026-11-21T05:00:00Z", "reply": 553])

        #expect(await service.client.post("/api/v1/me/mail-tests", bearer: bearer).status == .accepted)
        let (kind, message) = try #require(try await service.mail().first)
        #expect(kind == .mailTest)
        #expect(message.to.address == "Ant@example.org")
        #expect(message.optOut == nil, "it is tried where other mail is not")
    }

    @Test func `a service without mail tests none`() async throws {
        let (_, bearer) = try await AccountsService().register()
        let service = try AccountsService(sendsMail: false)
        #expect(await service.client.post("/api/v1/me/mail-tests", bearer: bearer).code == "no_mail")
        #expect(await service.client.post("/api/v1/me/mail-tests").status == .unauthorized)
    }
}
