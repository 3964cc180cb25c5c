import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct CycleTests {
    private static let plan: JSON = ["name": "논문", "work_seconds": 1500, "rest_seconds": 300]

    private func cycling(at time: String = "2026-11-21T03:00:00Z") async throws -> Person {
        let me = try await student(at: time)
        let started = await me.post("/me/timer/start", ["plan": Self.plan])
        #expect(started.status == .created)
        return me
    }

    @Test func `a timer with a plan works while it runs and rests while it is paused`() async throws {
        let me = try await cycling()
        try await TestDatabase.current.advance(600)
        let working = await me.get("/me/timer").json
        #expect(working["plan"] == Self.plan)
        #expect(
            working["phase"] == [
                "kind": "work", "number": 1, "started_at": "2026-11-21T03:00:00Z", "elapsed_seconds": 600,
                "remaining_seconds": 900, "extra_seconds": 0, "length_seconds": 1500,
            ])
        #expect(await me.post("/me/timer/pause").json["phase"]["kind"] == "rest")
        try await TestDatabase.current.advance(100)
        #expect(
            await me.get("/me/timer").json["phase"] == [
                "kind": "rest", "number": 1, "started_at": "2026-11-21T03:10:00Z", "elapsed_seconds": 100,
                "remaining_seconds": 200, "extra_seconds": 0, "length_seconds": 300,
            ])
        let again = await me.post("/me/timer/resume").json
        #expect(again["phase"]["kind"] == "work")
        #expect(again["phase"]["number"] == 2)
        #expect(again["phase"]["started_at"] == "2026-11-21T03:11:40Z")
        #expect(again["phase"]["elapsed_seconds"] == 0)
    }

    @Test func `past the end of a phase extra time counts up, and nothing turns by itself`() async throws {
        let me = try await cycling()
        try await TestDatabase.current.advance(1500 + 40)
        let over = await me.get("/me/timer").json
        #expect(over["state"] == "running")
        #expect(over["phase"]["kind"] == "work")
        #expect(over["phase"]["remaining_seconds"] == 0)
        #expect(over["phase"]["extra_seconds"] == 40)
        _ = await me.post("/me/timer/pause")
        try await TestDatabase.current.advance(300 + 7)
        let rested = await me.get("/me/timer").json
        #expect(rested["state"] == "paused")
        #expect(rested["phase"]["kind"] == "rest")
        #expect(rested["phase"]["extra_seconds"] == 7)
    }

    @Test func `rest is not study`() async throws {
        let me = try await cycling()
        for _ in 1...3 {
            try await TestDatabase.current.advance(1500)
            _ = await me.post("/me/timer/pause")
            try await TestDatabase.current.advance(300)
            _ = await me.post("/me/timer/resume")
        }
        let timer = await me.get("/me/timer").json
        #expect(timer["phase"]["number"] == 4)
        #expect(timer["elapsed_seconds"] == 4500)
        try await TestDatabase.current.advance(60)
        let stopped = await me.post("/me/timer/stop").json
        #expect(stopped["session"]["seconds"] == 4560)
        #expect(stopped["session"]["intervals"].array?.count == 4)
        #expect(stopped["session"]["plan"] == Self.plan)
        #expect(stopped["today"]["study_seconds"] == 4560)
    }

    @Test func `work that began and ended within a second is no phase`() async throws {
        let me = try await cycling()
        try await TestDatabase.current.advance(600)
        _ = await me.post("/me/timer/pause")
        try await TestDatabase.current.advance(100)
        #expect(await me.post("/me/timer/resume").json["phase"]["number"] == 2)
        let paused = await me.post("/me/timer/pause").json["phase"]
        #expect(paused["kind"] == "rest")
        #expect(paused["number"] == 1)
        #expect(paused["started_at"] == "2026-11-21T03:10:00Z")
        #expect(paused["elapsed_seconds"] == 100)
        try await TestDatabase.current.advance(100)
        #expect(await me.post("/me/timer/resume").json["phase"]["number"] == 2)
        try await TestDatabase.current.advance(60)
        #expect(await me.post("/me/timer/pause").json["phase"]["number"] == 2)
    }

    @Test func `paused in the second it began, a timer rests from there`() async throws {
        let me = try await cycling()
        _ = await me.post("/me/timer/pause")
        try await TestDatabase.current.advance(30)
        let rest = await me.get("/me/timer").json["phase"]
        #expect(rest["kind"] == "rest")
        #expect(rest["number"] == 1)
        #expect(rest["started_at"] == "2026-11-21T03:00:00Z")
        #expect(rest["elapsed_seconds"] == 30)
        #expect(await me.post("/me/timer/resume").json["phase"]["number"] == 1)
    }

    @Test func `resumed in the second it was paused, a timer has not rested`() async throws {
        let me = try await cycling()
        try await TestDatabase.current.advance(600)
        _ = await me.post("/me/timer/pause")
        let timer = await me.post("/me/timer/resume").json
        #expect(timer["phase"]["kind"] == "work")
        #expect(timer["phase"]["number"] == 1)
        #expect(timer["phase"]["elapsed_seconds"] == 600)
        #expect(timer["session"]["running_since"] == "2026-11-21T03:00:00Z")
    }

    @Test func `a countdown and a stopwatch have no phase`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        for body in [["goal_seconds": 1800], [:], ["goal_seconds": .null, "plan": .null]] as [JSON] {
            let timer = await me.post("/me/timer/start", body).json
            #expect(timer["state"] == "running")
            #expect(timer["phase"].isNull)
            #expect(timer["plan"].isNull)
            #expect(timer["goal_seconds"] == body["goal_seconds"])
            _ = await me.post("/me/timer/cancel")
        }
    }

    @Test func `a plan may go without a name`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let started = await me.post("/me/timer/start", ["plan": ["work_seconds": 60, "rest_seconds": 86_340]])
        #expect(started.json["plan"] == ["name": .null, "work_seconds": 60, "rest_seconds": 86_340])
        let id = started.json["session"]["id"].string ?? "-"
        #expect(await me.get("/me/sessions/\(id)").json["plan"] == started.json["plan"])
    }

    @Test func `a cycle may have a goal for all its work`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.post("/me/timer/start", ["plan": Self.plan, "goal_seconds": 2000])
        try await TestDatabase.current.advance(1500)
        _ = await me.post("/me/timer/pause")
        try await TestDatabase.current.advance(300)
        _ = await me.post("/me/timer/resume")
        try await TestDatabase.current.advance(100)
        let timer = await me.get("/me/timer").json
        #expect(timer["remaining_seconds"] == 400)
        #expect(timer["phase"]["remaining_seconds"] == 1400)
    }

    @Test func `a session may last beyond a day, only no stretch beyond 12 h`() async throws {
        let me = try await cycling()
        for _ in 1...3 {
            try await TestDatabase.current.advance(11 * 3600)
            _ = await me.post("/me/timer/pause")
            try await TestDatabase.current.advance(3600)
            _ = await me.post("/me/timer/resume")
        }
        let timer = await me.get("/me/timer").json
        #expect(timer["elapsed_seconds"] == 118_800)
        #expect(timer["phase"]["number"] == 4)
        let session = await me.post("/me/timer/stop").json["session"]
        #expect(session["state"] == "finished")
        #expect(session["seconds"] == 118_800)
    }

    @Test func `a timer left paused for days is as it was left`() async throws {
        let me = try await cycling()
        try await TestDatabase.current.advance(600)
        _ = await me.post("/me/timer/pause")
        try await TestDatabase.current.advance(5 * 86_400)
        let timer = await me.get("/me/timer").json
        #expect(timer["state"] == "paused")
        #expect(timer["elapsed_seconds"] == 600)
        #expect(timer["phase"]["extra_seconds"] == 431_700)
        let resumed = await me.post("/me/timer/resume").json
        #expect(resumed["state"] == "running")
        #expect(resumed["elapsed_seconds"] == 600)
        try await TestDatabase.current.advance(60)
        #expect(await me.post("/me/timer/stop").json["session"]["seconds"] == 660)
    }
}
