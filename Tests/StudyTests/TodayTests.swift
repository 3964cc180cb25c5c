import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct TodayTests {
    @Test func `today agrees with the running timer`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.log("2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z")
        _ = await me.log("2026-11-21T00:00:00Z", "2026-11-21T00:30:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(300)
        let today = await me.get("/me/today").json
        #expect(today["day"] == "2026-11-21")
        #expect(today["starts_at"] == "2026-11-20T20:00:00Z")
        #expect(today["ends_at"] == "2026-11-21T20:00:00Z")
        #expect(today["study_seconds"] == 2100)
        #expect(today["yesterday_seconds"] == 3600)
        #expect(today["difference_seconds"] == -1500)
        #expect(today["total_seconds"] == 5700)
        #expect(today["goal_seconds"] == 14400)
        #expect(today["goal_met"] == false)
        #expect(today["growth"] == "seed")
        #expect(today["ants"] == ["wake_up": false, "study": false, "perfect": false])
        #expect(today["server_time"] == "2026-11-21T03:05:00Z")
    }

    @Test func `the ant of the day is earned when the goal is met by recorded time`() async throws {
        let me = try await student(at: "2026-11-21T00:00:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(14_400)
        let running = await me.get("/me/today").json
        #expect(running["goal_met"] == true)
        #expect(running["ants"]["study"] == false)
        let stopped = await me.post("/me/timer/stop").json
        #expect(stopped["earned"] == ["study": true, "perfect": false])
        #expect(stopped["today"]["ants"]["study"] == true)
        #expect(stopped["today"]["growth"] == "sprout")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(60)
        #expect(await me.post("/me/timer/stop").json["earned"] == ["study": false, "perfect": false])
    }

    @Test func `an interval across 05:00 counts to both days`() async throws {
        let me = try await student(at: "2026-11-20T19:30:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(30 * 60 - 1)
        #expect(await me.get("/me/today").json["day"] == "2026-11-20")
        #expect(await me.get("/me/today").json["study_seconds"] == 1799)
        try await TestDatabase.current.advance(1 + 600)
        let today = await me.get("/me/today").json
        #expect(today["day"] == "2026-11-21")
        #expect(today["study_seconds"] == 600)
        #expect(today["yesterday_seconds"] == 1800)
        let stopped = await me.post("/me/timer/stop").json
        #expect(stopped["session"]["seconds"] == 2400)
        #expect(stopped["today"]["study_seconds"] == 600)
    }

    @Test func `the night on which the clocks go back has a day of 25 hours`() async throws {
        // New York, 1 November 2026: from 05:00 EDT on 31 October to 05:00 EST on 1 November.
        let me = try await student(at: "2026-11-01T12:00:00Z", timeZone: "America/New_York")
        for (from, to) in [
            ("2026-10-31T20:00:00Z", "2026-11-01T08:00:00Z"), ("2026-11-01T08:00:00Z", "2026-11-01T10:00:00Z"),
        ] { #expect(await me.log(from, to).status == .created) }
        #expect(await me.get("/me/today").json["yesterday_seconds"] == 50_400)
        #expect(await me.get("/me/today").json["study_seconds"] == 0)
        #expect(await me.log("2026-11-01T10:00:00Z", "2026-11-01T10:00:01Z").status == .created)
        #expect(await me.get("/me/today").json["study_seconds"] == 1)
    }

    @Test(arguments: [
        "/me/timer", "/me/today", "/me/sessions", "/me/sessions/5E0EF3AE-3B83-4F5A-8C4E-2B1B2E1F0A11",
    ])
    func `nobody reads without signing in`(path: String) async throws {
        #expect(await study().get("/api/v1\(path)").status == .unauthorized)
    }
}
