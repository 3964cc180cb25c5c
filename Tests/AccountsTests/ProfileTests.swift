import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct ProfileTests {
    @Test func `what is sent changes and the rest stays`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let before = await service.client.get("/api/v1/me", bearer: bearer).json
        let answer = await service.client.patch(
            "/api/v1/me",
            json: [
                "nickname": "일개미", "locale": "ko", "study_clock": ["time_zone": "Europe/London"],
                "daily_goal_seconds": 7200, "theme": "dark", "global_board": true,
                "default_timer_seconds": 3000, "sounds": false, "notices": false, "unattended_mail": false,
            ], bearer: bearer)
        #expect(answer.status == .ok)
        #expect(answer.json["nickname"] == "일개미")
        #expect(answer.json["locale"] == "ko")
        #expect(answer.json["study_clock"] == ["time_zone": "Europe/London", "day_starts_at": "05:00"])
        #expect(answer.json["daily_goal_seconds"] == 7200)
        #expect(answer.json["theme"] == "dark")
        #expect(answer.json["global_board"] == true)
        #expect(answer.json["default_timer_seconds"] == 3000)
        for name in ["sounds", "notices", "unattended_mail"] { #expect(answer.json[name] == false) }
        for name in ["uid", "email", "created_at"] { #expect(answer.json[name] == before[name]) }

        let clock = await service.client.patch(
            "/api/v1/me", json: ["study_clock": ["day_starts_at": "04:30"]], bearer: bearer)
        #expect(clock.json["study_clock"] == ["time_zone": "Europe/London", "day_starts_at": "04:30"])
        #expect(clock.json["nickname"] == "일개미")
        #expect(await service.client.get("/api/v1/me", bearer: bearer).json == clock.json)
        #expect(await service.client.patch("/api/v1/me", json: [:], bearer: bearer).json == clock.json)
    }

    @Test func `of two changes at once neither is lost`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        for round in 1...8 {
            let zone: JSON = round % 2 == 0 ? "Asia/Seoul" : "Europe/London"
            let (start, goal): (JSON, JSON) = (.string("0\(round):00"), .integer(3600 * round))
            async let first = service.client.patch(
                "/api/v1/me", json: ["study_clock": ["time_zone": zone], "daily_goal_seconds": goal], bearer: bearer)
            async let second = service.client.patch(
                "/api/v1/me", json: ["study_clock": ["day_starts_at": start], "nickname": start], bearer: bearer)
            #expect(await [first.status, second.status] == [.ok, .ok])
            let now = await service.client.get("/api/v1/me", bearer: bearer).json
            #expect(now["study_clock"] == ["time_zone": zone, "day_starts_at": start])
            #expect(now["daily_goal_seconds"] == goal)
            #expect(now["nickname"] == start)
        }
    }

    @Test(
        arguments: [
            (["nickname": " "], "invalid_nickname", "nickname"),
            (["locale": "fr"], "unknown_locale", "locale"),
            (["theme": "blue"], "unknown_theme", "theme"),
            (["daily_goal_seconds": 59], "invalid_daily_goal", "daily_goal_seconds"),
            (["daily_goal_seconds": 86401], "invalid_daily_goal", "daily_goal_seconds"),
            (["study_clock": ["time_zone": "FOO5"]], "unknown_time_zone", "study_clock.time_zone"),
            (["study_clock": ["day_starts_at": "12:00"]], "invalid_day_start", "study_clock.day_starts_at"),
            (["study_clock": ["day_starts_at": "5:00"]], "invalid_day_start", "study_clock.day_starts_at"),
            (["study_clock": ["zone": "Asia/Seoul"]], "unknown_field", "study_clock.zone"),
            (["email": "bee@example.org"], "unknown_field", "email"),
            (["daily_goal_seconds": 1.5], "wrong_type", "daily_goal_seconds"),
            (["global_board": "yes"], "wrong_type", "global_board"),
            (["default_timer_seconds": 59], "invalid_default_timer", "default_timer_seconds"),
            (["default_timer_seconds": 86401], "invalid_default_timer", "default_timer_seconds"),
        ] as [(JSON, String, String)])
    func `what is against a rule is named, and nothing else changes either`(
        change: JSON, code: String, field: String
    ) async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let before = await service.client.get("/api/v1/me", bearer: bearer).json
        var whole = change
        if case .object(var members) = change, members["nickname"] == nil {
            members["nickname"] = "일개미"
            whole = .object(members)
        }
        let answer = await service.client.patch("/api/v1/me", json: whole, bearer: bearer)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
        #expect(await service.client.get("/api/v1/me", bearer: bearer).json == before)
    }

    @Test func `a new account's timer is half an hour, and it sounds, notifies and mails`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let me = await service.client.get("/api/v1/me", bearer: bearer).json
        #expect(me["default_timer_seconds"] == 1800)
        for name in ["sounds", "notices", "unattended_mail"] { #expect(me[name] == true) }
    }

    @Test func `a day starts as late as the rules allow`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        try await service.test.sql(
            "CREATE OR REPLACE FUNCTION day_starts_before() RETURNS time LANGUAGE sql IMMUTABLE RETURN time '12:30'")
        for (start, code) in [("12:29", nil), ("12:30", "invalid_day_start")] as [(JSON, String?)] {
            let answer = await service.client.patch(
                "/api/v1/me", json: ["study_clock": ["day_starts_at": start]], bearer: bearer)
            #expect(answer.code == code)
        }
    }

    @Test(arguments: ["sounds", "notices", "unattended_mail"])
    func `each choice is its own`(name: String) async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let before = await service.client.get("/api/v1/me", bearer: bearer).json
        let off = await service.client.patch("/api/v1/me", json: .object([name: false]), bearer: bearer).json
        #expect(off[name] == false)
        for other in ["sounds", "notices", "unattended_mail", "nickname", "theme"] where other != name {
            #expect(off[other] == before[other])
        }
        #expect(await service.client.patch("/api/v1/me", json: .object([name: true]), bearer: bearer).json == before)
    }

    @Test func `a profile that has not changed is not sent again`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let tag = try #require(await service.client.get("/api/v1/me", bearer: bearer).headers["ETag"])
        let again = await service.client.get("/api/v1/me", bearer: bearer, headers: ["If-None-Match": tag])
        #expect(again.status == .notModified)
    }
}
