import API
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Ranking

@Suite(.database) struct OwnBadgeTests {
    private func words(_ path: String, _ query: String = "?locale=en") async -> String {
        String(decoding: await picture(path, query).body, as: UTF8.self)
    }

    private func picture(_ path: String, _ query: String = "?locale=en") async -> Answer {
        await everything().get(path + query)
    }

    @Test func `a badge is made, changed and turned off, and shows what its owner chose`() async throws {
        let room = try await Room()
        let me = room.owner
        #expect(await me.get("/me/badge").json == ["made_at": nil, "period": nil])
        #expect(await me.delete("/me/badge").status == .notFound)
        #expect(await me.patch("/me/badge", ["period": "day"]).status == .notFound)
        // By the owner's clock yesterday and today are two days of the month.
        await me.log("2026-11-20T17:00:00Z", "2026-11-20T18:00:00Z")
        await me.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
        let made = await me.post("/me/badge", ["period": "month"])
        #expect(made.status == .created && made.headers["Cache-Control"] == "no-store")
        let first = try #require(made.json["url"].string).replacing("https://anthill.example", with: "")
        #expect(first.hasPrefix("/badges/") && first.hasSuffix(".svg"))
        #expect(await me.get("/me/badge").json == ["made_at": "2026-11-21T03:00:00Z", "period": "month"])

        let english = await words(first)
        for words in ["Dodam", "3:00", "of study in November", "Anthill"] { #expect(english.contains(words)) }
        #expect(await words(first, "?locale=ko").contains("11월에 공부한 시간"))
        #expect(await me.patch("/me/badge", ["period": "day"]).json["period"] == "day")
        let today = await words(first)
        #expect(today.contains("2:00") && today.contains("of study today") && !today.contains("November"))
        // The running timer counts.
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(1800)
        #expect(await words(first).contains("2:30"))

        let again = try #require(await me.post("/me/badge", ["period": "week"]).json["url"].string)
        let second = again.replacing("https://anthill.example", with: "")
        #expect(await picture(first).status == .notFound)
        #expect(await words(second).contains("of study this week"))
        #expect(await picture(second.replacing(".svg", with: "")).status == .notFound)
        #expect(await picture("/badges/\(String(repeating: "A", count: 43)).svg").status == .notFound)
        #expect(await me.delete("/me/badge").status == .noContent)
        #expect(await picture(second).status == .notFound)
        let kinds = try await TestDatabase.current.database.read(
            "SELECT kind FROM audit_events WHERE kind LIKE 'badge%' ORDER BY id"
        ).decode(String.self)
        #expect(kinds == ["badge_made", "badge_made", "badge_ended"])
    }

    @Test(arguments: ["year", "", "Day"]) func `a badge shows a day, a week or a month`(period: String) async throws {
        let me = try await Room().owner
        for answer in [
            await me.post("/me/badge", ["period": .string(period)]),
            await me.patch("/me/badge", ["period": .string(period)]),
        ] {
            #expect(answer.status == .unprocessable && answer.json["code"] == "invalid_period")
        }
    }

    @Test func `any page may show it, as a group's badge`() async throws {
        let me = try await Room().owner
        let url = try #require(await me.post("/me/badge", ["period": "day"]).json["url"].string)
        let answer = await picture(url.replacing("https://anthill.example", with: ""), "?theme=dark")
        #expect(answer.headers["Content-Type"] == "image/svg+xml; charset=utf-8")
        #expect(answer.headers["Content-Security-Policy"]?.hasSuffix("frame-ancestors *") == true)
        #expect(answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin")
        #expect(answer.headers["Cache-Control"] == "public, max-age=60")
        #expect(answer.headers["Vary"] == "Accept-Language")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("prefers-color-scheme"))
    }
}
