import API
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Ranking

@Suite(.database) struct BadgeTests {
    /// What anybody gets, without a sign-in.
    private func badge(of room: Room, _ query: String = "", headers: Headers = [:]) async -> Answer {
        await everything().get("/api/v1\(room.path)/badge.svg\(query)", headers: headers)
    }

    private func picture(of room: Room, _ query: String = "?locale=en") async -> String {
        String(decoding: await badge(of: room, query).body, as: UTF8.self)
    }

    @Test func `a badge shows what the group did this month and who is behind it to nobody`() async throws {
        let room = try await Room()
        let look: JSON = ["badge_allowed": true, "emoji": "🐜", "colour": "plum", "month_goal_seconds": 36_000]
        _ = await room.owner.patch(room.path, look)
        let friend = try await room.join("Haneul")
        await room.owner.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
        _ = await friend.post("/me/timer/start")
        try await TestDatabase.current.advance(1800)
        let english = await picture(of: room)
        for words in [
            "Grad Exam Room", "🐜", "2:30", "together in November", "2 members", "1 studying now", "25% of goal",
            "#a3608f", "prefers-color-scheme:dark",
        ] { #expect(english.contains(words), "\(words)") }
        for secret in ["Dodam", "Haneul", room.owner.id, friend.id] { #expect(!english.contains(secret)) }
        #expect(await picture(of: room, "?locale=ko").contains("지금 1명 공부 중"))
        // One who hides can be told from a sum, and is in none.
        _ = await friend.patch("\(room.path)/members/me", ["visibility": "hidden"])
        let without = await picture(of: room)
        for words in ["2:00", "2 members", "20% of goal"] { #expect(without.contains(words), "\(words)") }
        #expect(!without.contains("studying now"))
        _ = await friend.post("/me/timer/stop")
        _ = await room.owner.patch(room.path, ["month_goal_seconds": nil, "emoji": nil])
        let plain = await picture(of: room)
        #expect(!plain.contains("studying now") && !plain.contains("of goal"))
        #expect(plain.contains(">G</text>") && plain.contains("height=\"96\""))
    }

    @Test func `without the group's consent there is no badge, as there is none of a group that is not there`()
        async throws
    {
        let room = try await Room()
        let refused = await badge(of: room)
        #expect(refused.status == .notFound)
        let unknown = await everything().get("/api/v1/groups/\(UUID().uuidString)/badge.svg")
        #expect(unknown.status == .notFound && unknown.body == refused.body)
        _ = await room.owner.patch(room.path, ["badge_allowed": true])
        #expect(await badge(of: room).status == .ok)
        _ = await room.owner.patch(room.path, ["badge_allowed": false])
        #expect(await badge(of: room).status == .notFound)
    }

    @Test func `any page may frame it and keep it for a minute, and no other answer`() async throws {
        let room = try await Room()
        _ = await room.owner.patch(room.path, ["badge_allowed": true])
        let answer = await badge(of: room)
        #expect(answer.headers["Content-Type"]?.hasPrefix("image/svg+xml") == true)
        #expect(answer.headers["Cache-Control"] == "public, max-age=60")
        #expect(answer.headers["Content-Security-Policy"]?.contains("frame-ancestors *") == true)
        #expect(answer.headers["Vary"] == "Accept-Language")
        #expect(await badge(of: room, "?locale=ko").headers["Vary"] == nil)
        let tag = try #require(answer.headers["ETag"])
        #expect(await badge(of: room, headers: ["If-None-Match": tag]).status == .notModified)
        for path in [room.path, "\(room.path)/leaderboard", "/nothing"] {
            let other = await room.owner.get(path)
            #expect(other.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
        }
    }

    @Test(arguments: [("locale=de", "unknown_locale", "locale"), ("theme=blue", "unknown_theme", "theme")])
    func `what it cannot look like is refused by its name`(query: String, code: String, field: String) async throws {
        let answer = await badge(of: try await Room(), "?\(query)")
        #expect(answer.status == .unprocessable && answer.code == code && answer.json["field"].string == field)
    }

    @Test func `the figures are added up once for all who ask in the same seconds`() async throws {
        let room = try await Room()
        _ = await room.owner.patch(room.path, ["badge_allowed": true])
        let store = BadgeStore(database: TestDatabase.current.database, remembering: .seconds(3600))
        let group = try #require(ID(room.id))
        #expect(try await store.badge(of: group).figures.seconds == 0)
        await room.owner.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
        _ = await room.owner.patch(room.path, ["name": "Dawn Room"])
        let again = try await store.badge(of: group)
        #expect(again.figures.seconds == 0 && again.name == "Dawn Room")
        let fresh = BadgeStore(database: TestDatabase.current.database)
        #expect(try await fresh.badge(of: group).figures.seconds == 7200)
        _ = await room.owner.patch(room.path, ["badge_allowed": false])
        await #expect(throws: Refusal.ranking.groupNotFound) { try await store.badge(of: group) }
    }
}

@Suite struct SVGTextTests {
    @Test func `names stay text, whatever is in them`() {
        #expect(SVGText.escaped("<b>\"R&D\"</b>") == "&lt;b&gt;&quot;R&amp;D&quot;&lt;/b&gt;")
        #expect(SVGText.escaped("a\u{202E}b\u{2066}c\u{0}d\u{1B}e\u{FFFF}f\u{85}g") == "abcdefg")
        #expect(SVGText.escaped("👩‍👩‍👧 아침반 é") == "👩‍👩‍👧 아침반 é")
    }

    @Test func `what is too long for its place ends in an ellipsis that has room`() {
        #expect(SVGText.cut("아침반", toEms: 3) == "아침반")
        #expect(SVGText.cut("새벽에 모이는 사람들", toEms: 5) == "새벽에 …")
        #expect(SVGText.cut("MMMM", toEms: 3) == "MM…")
        #expect(SVGText.cut("Night owls", toEms: 5) == "Night …")
        #expect(SVGText.cut("iiii", toEms: 3) == "iiii")
        #expect(SVGText.cut("", toEms: 3) == "")
    }
}
