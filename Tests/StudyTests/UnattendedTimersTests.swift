import Foundation
import HTTP
import Postgres
import TestSupport
import Testing
import Time

@testable import Mail
@testable import Study

@Suite(.database) struct UnattendedTimersTests {
    private var timers: UnattendedTimers {
        UnattendedTimers(
            database: TestDatabase.current.service, baseURL: "https://anthill.example.org", optOuts: Person.optOuts)
    }

    /// Somebody with an address whose timer begins at noon in Seoul.
    private func running(_ nickname: String = "Dodam") async throws -> Person {
        let me = try await student(at: "2026-11-21T03:00:00Z", nickname)
        let email = "\(nickname.lowercased())@example.kr"
        _ = try await TestDatabase.current.database.write(
            "INSERT INTO user_emails (canonical, email, uid) VALUES (\(email), \(email), \(me.uid))")
        #expect(await me.post("/me/timer/start").status == .created)
        return me
    }

    /// What is asked for so far.
    private func outbox() async throws -> [OutboxItem] {
        try await TestDatabase.current.database.read(
            "SELECT id, to_address, parameters::text FROM mail_outbox WHERE kind = 'unattended_timer' ORDER BY created_at"
        ).decode(ID.self, String.self, String.self).map { id, to, parameters in
            OutboxItem(
                id: id, kind: MailKind(rawValue: "unattended_timer"), to: to,
                parameters: try JSONDecoder().decode([String: String].self, from: Data(parameters.utf8)), attempt: 1,
                now: Instant("2026-11-21T09:00:00Z")!)
        }
    }

    private func letter(_ item: OutboxItem) async throws -> Message? {
        let compose = try #require(timers.letters[item.kind])
        return try await compose(item)?.message
    }

    @Test func `after 6 h without a pause its owner is told, once`() async throws {
        _ = try await running()
        try await TestDatabase.current.advance(6 * 3600 - 1)
        #expect(try await timers.mail() == 0)
        try await TestDatabase.current.advance(1)
        #expect(try await timers.mail() == 1)
        #expect(try await timers.mail() == 0)
        try await TestDatabase.current.advance(3600)
        #expect(try await timers.mail() == 0)
        let items = try await outbox()
        #expect(items.map(\.to) == ["dodam@example.kr"])
        let message = try #require(try await letter(items[0]))
        #expect(message.to.address == "dodam@example.kr")
        #expect(message.link == "https://anthill.example.org/home")
        #expect(message.text.contains("12:00"))
        #expect(
            message.optOut?.hasPrefix("https://anthill.example.org/unsubscribe/unattended_mail/") == true,
            "and can be told to stop")
    }

    @Test func `many instances send one mail`() async throws {
        for name in ["Dodam", "Minsu", "Jihye"] { _ = try await running(name) }
        try await TestDatabase.current.advance(6 * 3600)
        let mailed = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try await timers.mail() } }
            return try await group.reduce(0, +)
        }
        #expect(mailed == 3)
        #expect(try await outbox().count == 3)
    }

    @Test func `a pause begins the 6 h anew, and a session is mailed about once`() async throws {
        let me = try await running()
        try await TestDatabase.current.advance(5 * 3600)
        _ = await me.post("/me/timer/pause")
        try await TestDatabase.current.advance(3 * 3600)
        #expect(try await timers.mail() == 0)
        _ = await me.post("/me/timer/resume")
        try await TestDatabase.current.advance(6 * 3600 - 1)
        #expect(try await timers.mail() == 0)
        try await TestDatabase.current.advance(1)
        #expect(try await timers.mail() == 1)
        _ = await me.post("/me/timer/pause")
        _ = await me.post("/me/timer/resume")
        try await TestDatabase.current.advance(7 * 3600)
        #expect(try await timers.mail() == 0)
        _ = await me.post("/me/timer/stop")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(6 * 3600)
        #expect(try await timers.mail() == 1)
    }

    @Test func `users who turned the mail off get none`() async throws {
        let me = try await running()
        _ = try await TestDatabase.current.database.write(
            "UPDATE users SET unattended_mail = false WHERE uid = \(me.uid)")
        try await TestDatabase.current.advance(7 * 3600)
        #expect(try await timers.mail() == 0)
        _ = try await TestDatabase.current.database.write(
            "UPDATE users SET unattended_mail = true WHERE uid = \(me.uid)")
        #expect(try await timers.mail() == 1)
    }

    @Test func `from 12 h on it is no running timer any more`() async throws {
        _ = try await running()
        try await TestDatabase.current.advance(12 * 3600)
        #expect(try await timers.mail() == 0)
    }

    @Test(arguments: ["pause", "stop", "cancel"])
    func `nothing is sent about a timer that does not run any more`(call: String) async throws {
        let me = try await running()
        try await TestDatabase.current.advance(6 * 3600)
        try await timers.mail()
        let item = try #require(try await outbox().first)
        #expect(try await letter(item) != nil)
        _ = await me.post("/me/timer/\(call)")
        #expect(try await letter(item) == nil)
    }

    @Test func `the letter is in its reader's language and on their clock`() async throws {
        let me = try await running()
        _ = try await TestDatabase.current.database.write(
            "UPDATE users SET locale = 'ko' WHERE uid = \(me.uid)")
        _ = try await TestDatabase.current.database.write(
            "UPDATE students SET time_zone = 'Europe/Berlin' WHERE uid = \(me.uid)")
        try await TestDatabase.current.advance(6 * 3600)
        try await timers.mail()
        let message = try #require(try await letter(try await outbox()[0]))
        #expect(message.subject == "타이머가 6시간 넘게 켜져 있어요")
        #expect(message.text.contains("04:00"))
    }
}
