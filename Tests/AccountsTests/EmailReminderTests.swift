import API
import HTTP
import Mail
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct EmailReminderTests {
    @Test func `which address one has is told by mail alone`() async throws {
        let service = try AccountsService()
        let (uid, _) = try await service.register(nickname: "여왕개미")
        let answers = [
            await service.client.post("/api/v1/email-reminders", json: ["email": "ANT@example.org"]),
            await service.client.post("/api/v1/email-reminders", json: ["email": "bee@example.org"]),
        ]
        for answer in answers {
            #expect(answer.status == .accepted)
            #expect(answer.body.isEmpty)
        }
        let mail = try await service.mail()
        let found = try #require(mail.first { $0.message.to.address == "ant@example.org" })
        #expect(found.message.text.contains("여왕개미"))
        #expect(found.message.link == "\(AccountsService.baseURL)/sign-in")
        let missing = try #require(mail.first { $0.message.to.address == "bee@example.org" })
        #expect(missing.message.link == "\(AccountsService.baseURL)/find-email")
        #expect(
            try await service.number(
                "SELECT count(*) FROM audit_events WHERE kind = 'email_reminder_requested' AND uid = \(uid)") == 1)
        #expect(
            await service.client.post("/api/v1/email-reminders", json: ["email": "nobody"]).code == "invalid_email")
    }
}
