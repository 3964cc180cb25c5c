import Foundation
import HTTP
import Postgres
import TestSupport
import Testing
import Time

@testable import Mail
@testable import Study

@Suite(.database) struct WeeklyMailTests {
    @Test func `the letter comes on the morning after the week, and not once it is turned off`() async throws {
        let weekly = WeeklyMail(
            database: TestDatabase.current.service, baseURL: "https://anthill.example.org", optOuts: Person.optOuts)
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let database = TestDatabase.current.database
        _ = try await database.write([
            "INSERT INTO user_emails (canonical, email, uid) VALUES ('d@example.kr', 'd@example.kr', \(me.uid))",
            "UPDATE users SET weekly_mail = true, locale = 'ko' WHERE uid = \(me.uid)",
        ])
        #expect(await me.post("/me/timer/start").status == .created)
        try await TestDatabase.current.advance(5400)
        #expect(await me.post("/me/timer/stop").status == .ok)

        try await TestDatabase.current.setClock("2026-11-22T22:59:59Z")
        #expect(try await weekly.send() == 0)
        try await TestDatabase.current.setClock("2026-11-22T23:00:00Z")
        #expect(try await weekly.send() == 1)
        #expect(try await weekly.send() == 0)
        let (id, to, text) = try await database.read(
            "SELECT id, to_address, parameters::text FROM mail_outbox WHERE kind = 'weekly_letter'"
        ).one.decode(ID.self, String.self, String.self)
        let item = OutboxItem(
            id: id, kind: MailKind(rawValue: "weekly_letter"), to: to,
            parameters: try JSONDecoder().decode([String: String].self, from: Data(text.utf8)), attempt: 1,
            now: try #require(Instant("2026-11-22T23:00:00Z")))
        let compose = try #require(weekly.letters[item.kind])
        let message = try #require(try await compose(item)?.message)
        #expect(message.to.address == "d@example.kr")
        #expect(message.subject == "지난주에 1시간 30분 공부했어요")
        #expect(message.text.contains("2026-11-16부터 한 주 동안 1일에 걸쳐 1시간 30분 공부했어요."))
        #expect(message.optOut?.hasPrefix("https://anthill.example.org/unsubscribe/weekly_mail/") == true)

        _ = try await database.write("UPDATE users SET weekly_mail = false WHERE uid = \(me.uid)")
        #expect(try await compose(item)?.message.subject == nil)
    }
}
