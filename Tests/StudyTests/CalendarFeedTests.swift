import API
import HTTP
import Postgres
import TestSupport
import Testing
import Time

@testable import Study

@Suite struct CalendarFileTests {
    @Test func `a long line goes on after 75 bytes without dividing a character`() {
        #expect(CalendarFile.folded("SUMMARY:short") == "SUMMARY:short\r\n")
        #expect(CalendarFile.folded(String(repeating: "a", count: 75)) == String(repeating: "a", count: 75) + "\r\n")
        let folded = CalendarFile.folded("SUMMARY:" + String(repeating: "공부", count: 30) + "🐜")
        let lines = folded.split(separator: "\r\n")
        #expect(lines.count > 2 && folded.hasSuffix("\r\n"))
        #expect(lines.allSatisfy { $0.utf8.count <= 75 })
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(" ") })
        #expect(
            folded.replacing("\r\n ", with: "") == "SUMMARY:" + String(repeating: "공부", count: 30) + "🐜\r\n")
    }

    @Test func `text in a calendar file is escaped`() {
        #expect(CalendarFile.escaped("a,b;c\\d\ne\r\u{0}\tEND:VEVENT") == #"a\,b\;c\\d\ne END:VEVENT"#)
    }

    @Test func `without sessions it is an empty calendar`() {
        let text = CalendarFile(sessions: [], language: .ko, host: "anthill.example").text
        #expect(text.hasPrefix("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") && text.hasSuffix("END:VCALENDAR\r\n"))
        #expect(!text.contains("VEVENT") && text.contains("NAME:공부 개미\r\n"))
    }
}

@Suite(.database) struct CalendarFeedTests {
    @Test func `an address is made, changed and turned off, and nobody guesses one`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let client = study()
        #expect(await me.get("/me/calendar-feed").json["made_at"].isNull)
        #expect(await me.delete("/me/calendar-feed").status == .notFound)
        let make = { () async throws -> String in
            let made = await me.post("/me/calendar-feed")
            #expect(made.status == .created && made.headers["Cache-Control"] == "no-store")
            let url = try #require(made.json["url"].string)
            #expect(url.hasPrefix("https://anthill.example.org/calendar/") && url.hasSuffix(".ics"))
            return url.replacing("https://anthill.example.org", with: "")
        }
        let first = try await make()
        #expect(await me.get("/me/calendar-feed").json["made_at"] == "2026-11-21T03:00:00Z")
        let read = await client.get(first)
        #expect(read.status == .ok)
        #expect(read.headers["Content-Type"] == "text/calendar; charset=utf-8")
        #expect(read.headers["Cache-Control"] == "private, no-cache")
        let tag = try #require(read.headers["ETag"])
        #expect(await client.get(first, headers: ["If-None-Match": tag]).status == .notModified)

        let second = try await make()
        #expect(await client.get(first).status == .notFound)
        #expect(await client.get(second).status == .ok)
        #expect(await client.get(second.replacing(".ics", with: "")).status == .notFound)
        #expect(await client.get("/calendar/\(String(repeating: "A", count: 43)).ics").status == .notFound)
        #expect(await me.delete("/me/calendar-feed").status == .noContent)
        #expect(await client.get(second).status == .notFound)
        let kinds = try await TestDatabase.current.database.read(
            "SELECT kind FROM audit_events WHERE kind LIKE 'calendar%' ORDER BY id"
        ).decode(String.self)
        #expect(kinds == ["calendar_feed_made", "calendar_feed_made", "calendar_feed_ended"])
    }
}
