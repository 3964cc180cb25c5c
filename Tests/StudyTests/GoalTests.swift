import HTTP
import Postgres
import Study
import TestSupport
import Testing

/// Each case begins in Seoul, at noon of Saturday 21 November 2026.
@Suite(.database) struct GoalTests {
    private static let noon = "2026-11-21T03:00:00Z"

    private func goals(_ me: Person, _ days: ClosedRange<Int>) async -> [Int?] {
        let month = await me.get("/me/days?month=2026-11").json["days"]
        return days.map { month[$0 - 1]["goal_seconds"].int }
    }

    @Test func `a goal holds for today and what comes; a day that has ended keeps its own, studied or not`()
        async throws
    {
        let me = try await student(at: Self.noon)
        _ = await me.log("2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z")
        try await me.setGoal(3600)
        #expect(await goals(me, 18...22) == [14400, 14400, 14400, 3600, 3600])
        #expect(await me.get("/me/today").json["goal_seconds"] == 3600)
        try await TestDatabase.current.setClock("2026-11-24T03:00:00Z")
        try await me.setGoal(7200)
        #expect(await goals(me, 20...25) == [14400, 3600, 3600, 3600, 7200, 7200])
    }

    @Test func `changes on one day are one change, and a change taken back is none`() async throws {
        let me = try await student(at: Self.noon)
        try await me.setGoal(3600)
        try await me.setGoal(60)
        #expect(await goals(me, 19...22) == [14400, 14400, 60, 60])
        try await me.setGoal(14400)
        try await TestDatabase.current.setClock("2026-11-25T03:00:00Z")
        #expect(await goals(me, 19...26) == Array(repeating: 14400, count: 8))
        let rows = try await TestDatabase.current.database.read("SELECT count(*) FROM past_goals")
        #expect(try rows[0].decode(Int.self) == 0)
    }

    @Test func `a day follows the goal until its last second, and an ant may come and go with it`() async throws {
        let me = try await student(at: "2026-11-21T19:59:59Z")
        _ = await me.log("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z")
        #expect(await me.get("/me/today").json["ants"]["study"] == false)
        try await me.setGoal(3600)
        #expect(await me.get("/me/today").json["ants"]["study"] == true)
        try await TestDatabase.current.advance(1)
        try await me.setGoal(7200)
        let month = await me.get("/me/days").json
        #expect(month["days"][20]["goal_seconds"] == 3600)
        #expect(month["days"][20]["study"] == true)
        #expect(month["days"][21]["goal_seconds"] == 7200)
        #expect(month["streaks"] == ["current": 1, "longest": 1])
    }

    @Test func `study logged late takes the goal of its day`() async throws {
        let me = try await student(at: Self.noon)
        try await me.setGoal(3600)
        #expect(await me.log("2026-11-20T00:00:00Z", "2026-11-20T02:00:00Z").status == .created)
        let days = await me.get("/me/days").json["days"]
        #expect(days[19]["goal_seconds"] == 14400)
        #expect(days[19]["study"] == false)
        try await TestDatabase.current.setClock("2026-11-22T03:00:00Z")
        try await me.setGoal(60)
        _ = await me.log("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z")
        #expect(await goals(me, 20...22) == [14400, 3600, 60])
        #expect(await me.get("/me/days").json["days"][20]["study"] == true)
    }

    @Test func `after a move to the west the day that is again today takes the new goal`() async throws {
        let me = try await student(at: "2026-11-21T00:00:00Z")  // 09:00 of the 21st in Seoul
        try await me.setGoal(3600)
        _ = await me.log("2026-11-20T22:00:00Z", "2026-11-20T23:00:00Z")
        try await me.moveClock(to: "Pacific/Honolulu")  // 14:00 of the 20th
        try await me.setGoal(7200)
        #expect(await goals(me, 19...22) == [14400, 7200, 7200, 7200])
        #expect(await me.get("/me/today").json["goal_seconds"] == 7200)
    }
}
