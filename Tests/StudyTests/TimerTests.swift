import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct TimerTests {
    @Test func `without a timer it is idle`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let timer = await me.get("/me/timer")
        #expect(timer.status == .ok)
        #expect(timer.json == ["state": "idle", "elapsed_seconds": 0, "server_time": "2026-11-21T03:00:00Z"])
    }

    @Test func `a timer runs on the server, pauses left out`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let started = await me.post("/me/timer/start", ["goal_seconds": 100])
        #expect(started.status == .created)
        #expect(started.headers["Location"] == "/api/v1/me/timer")
        #expect(started.json["state"] == "running")
        #expect(started.json["session"]["running_since"] == "2026-11-21T03:00:00Z")
        try await TestDatabase.current.advance(60)
        #expect(await me.get("/me/timer").json["remaining_seconds"] == 40)
        let paused = await me.post("/me/timer/pause")
        #expect(paused.json["state"] == "paused")
        #expect(paused.json["session"]["running_since"].isNull)
        try await TestDatabase.current.advance(500)
        #expect(await me.get("/me/timer").json["elapsed_seconds"] == 60)
        #expect(await me.post("/me/timer/resume").json["state"] == "running")
        try await TestDatabase.current.advance(90)
        let running = await me.get("/me/timer").json
        #expect(running["elapsed_seconds"] == 150)
        #expect(running["remaining_seconds"] == 0)
        #expect(running["extra_seconds"] == 50)
        let stopped = await me.post("/me/timer/stop").json
        #expect(stopped["session"]["state"] == "finished")
        #expect(stopped["session"]["seconds"] == 150)
        #expect(stopped["session"]["id"] == started.json["session"]["id"])
        #expect(stopped["session"]["source"] == "timer")
        #expect(stopped["session"]["intervals"].array?.map(\.["seconds"]) == [60, 90])
        #expect(stopped["today"]["study_seconds"] == 150)
        #expect(await me.get("/me/timer").json["state"] == "idle")
    }

    @Test func `a second start answers 409 and the running timer`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let first = await me.post("/me/timer/start").json
        try await TestDatabase.current.advance(30)
        let second = await me.post("/me/timer/start")
        #expect(second.status == .conflict)
        #expect(second.code == "timer_already_running")
        #expect(second.json["timer"]["session"]["id"] == first["session"]["id"])
        #expect(second.json["timer"]["elapsed_seconds"] == 30)
        _ = await me.post("/me/timer/pause")
        #expect(await me.post("/me/timer/start").json["timer"]["state"] == "paused")
    }

    @Test func `32 simultaneous starts give one timer`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let answers = await withTaskGroup { group in
            for _ in 0..<32 { group.addTask { await me.post("/me/timer/start") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == .created }.count == 1)
        #expect(answers.filter { $0.code == "timer_already_running" }.count == 31)
        let id = await me.get("/me/timer").json["session"]["id"]
        #expect(answers.allSatisfy { ($0.status == .created ? $0.json : $0.json["timer"])["session"]["id"] == id })
    }

    @Test(arguments: ["pause", "stop", "cancel"])
    func `what needs a timer answers 409 without one`(call: String) async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let answer = await me.post("/me/timer/\(call)")
        #expect(answer.status == .conflict)
        #expect(answer.code == "timer_not_running")
    }

    @Test func `only a paused timer resumes, only a running one pauses`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.post("/me/timer/start")
        #expect(await me.post("/me/timer/resume").code == "timer_not_paused")
        try await TestDatabase.current.advance(10)
        _ = await me.post("/me/timer/pause")
        #expect(await me.post("/me/timer/pause").code == "timer_not_running")
    }

    @Test func `a cancelled timer leaves nothing`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(600)
        let cancelled = await me.post("/me/timer/cancel")
        #expect(cancelled.status == .ok)
        #expect(cancelled.json["state"] == "idle")
        #expect(await me.get("/me/today").json["study_seconds"] == 0)
        #expect(await me.get("/me/sessions").json["items"] == [])
        #expect(await me.log("2026-11-21T03:01:00Z", "2026-11-21T03:02:00Z").status == .created)
    }

    @Test func `stopped in the second it began, a timer succeeds with nothing`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.post("/me/timer/start")
        let stopped = await me.post("/me/timer/stop")
        #expect(stopped.status == .ok)
        #expect(stopped.json["session"]["seconds"] == 0)
        #expect(stopped.json["session"]["intervals"] == [])
    }

    @Test(arguments: [0, -1, 86_401])
    func `a goal is between a second and a day`(goal: Int) async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let answer = await me.post("/me/timer/start", ["goal_seconds": .integer(goal)])
        #expect(answer.status == .unprocessable)
        #expect(answer.code == "invalid_goal")
        #expect(answer.json["field"] == "goal_seconds")
    }

    @Test func `a start under an Idempotency-Key answers its retry the same`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let key: Headers = ["Idempotency-Key": UUID().uuidString]
        let first = await me.post("/me/timer/start", headers: key)
        let again = await me.post("/me/timer/start", headers: key)
        #expect(again.status == .created)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(again.body == first.body)
    }

    @Test func `a stop under an Idempotency-Key earns once`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(600)
        let key: Headers = ["Idempotency-Key": UUID().uuidString]
        let first = await me.post("/me/timer/stop", headers: key)
        #expect(first.json["today"]["study_seconds"] == 600)
        #expect(await me.post("/me/timer/stop", headers: key).body == first.body)
        #expect(await me.post("/me/timer/stop").code == "timer_not_running")
    }

    @Test func `a forgotten timer ends at 12 h and waits for its owner`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(12 * 3600)
        #expect(await me.get("/me/timer").json["state"] == "idle")
        #expect(await me.get("/me/today").json["study_seconds"] == 0)
        let waiting = "/me/sessions/unconfirmed"
        #expect(await me.get(waiting).json["items"][0]["state"] == "unconfirmed")
        try await TestDatabase.current.advance(3600)
        let stopped = await me.post("/me/timer/stop").json
        #expect(await me.get(waiting).json["items"][0]["id"] == stopped["session"]["id"])
        #expect(stopped["session"]["state"] == "unconfirmed")
        #expect(stopped["session"]["seconds"] == 0)
        #expect(stopped["today"]["study_seconds"] == 0)
        let over = await me.log("2026-11-21T04:00:00Z", "2026-11-21T05:00:00Z")
        #expect(over.status == .conflict)
        #expect(over.code == "unconfirmed_timer")
        let end = "/me/sessions/\(stopped["session"]["id"].string ?? "-")/end"
        #expect(await me.put(end, ["ended_at": "2026-11-21T15:00:01Z"]).code == "too_long")
        #expect(await me.put(end, ["ended_at": "2026-11-21T03:00:00Z"]).code == "empty_interval")
        let confirmed = await me.put(end, ["ended_at": "2026-11-21T05:00:00Z"])
        #expect(confirmed.status == .ok)
        #expect(confirmed.json["state"] == "finished")
        #expect(confirmed.json["seconds"] == 7200)
        #expect(await me.get(waiting).json["items"].array?.isEmpty == true)
        #expect(await me.put(end, ["ended_at": "2026-11-21T05:00:00Z"]).code == "not_unconfirmed")
        #expect(await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z").status == .created)
    }
}
