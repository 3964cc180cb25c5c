import Foundation
import HTTP
import Postgres
import Study
import TestSupport
import Testing
import Time

@Suite(.database) struct TimerStartTests {
    /// Somebody whose timer began at noon in Seoul and has run for an hour.
    private func running(_ body: JSON = [:]) async throws -> Person {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.post("/me/timer/start", body)
        try await TestDatabase.current.advance(3600)
        return me
    }

    private func move(_ me: Person, to time: String) async -> Answer {
        await me.patch("/me/timer", ["started_at": .string(time)])
    }

    /// What counts, as `source from to`, in its order.
    private func intervals(_ me: Person) async throws -> [String] {
        let id = await me.get("/me/timer").json["session"]["id"].string ?? "-"
        let all = await me.get("/me/sessions/\(id)").json["intervals"].array ?? []
        return all.map { interval in
            [interval["source"], interval["started_at"], interval["ended_at"]].compactMap(\.string)
                .map { $0.hasSuffix("Z") ? String($0.dropFirst(11).dropLast(4)) : $0 }.joined(separator: " ")
        }
    }

    @Test func `it keeps what it was started with`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let subject = await me.post("/me/subjects", ["name": "수학"]).json["id"]
        let task = await me.post("/me/tasks", ["title": "3장"]).json["id"]
        #expect(subject.string != nil)
        let timer = await me.post("/me/timer/start", ["subject_id": subject, "task_id": task, "note": "적분"]).json
        #expect(timer["subject_id"] == subject)
        #expect(timer["task_id"] == task)
        #expect(timer["note"] == "적분")
        #expect(timer["goal_seconds"].isNull)
        try await TestDatabase.current.advance(60)
        #expect(await me.post("/me/timer/pause").json["subject_id"] == subject)
        let session = await me.post("/me/timer/stop").json["session"]
        #expect(session["subject_id"] == subject)
        #expect(session["task_id"] == task)
        #expect(session["note"] == "적분")
    }

    @Test func `what is not one's own cannot be studied`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let other = try await student(at: "2026-11-21T03:00:00Z", "Minsu")
        let subject = await other.post("/me/subjects", ["name": "수학"]).json["id"]
        let task = await other.post("/me/tasks", ["title": "3장"]).json["id"]
        #expect(await me.post("/me/timer/start", ["subject_id": subject]).code == "unknown_subject")
        #expect(await me.post("/me/timer/start", ["task_id": task]).code == "unknown_task")
        #expect(await me.get("/me/timer").json["state"] == "idle")
    }

    @Test func `begun earlier, the stretch before counts as logged by hand`() async throws {
        let me = try await running()
        let moved = await move(me, to: "2026-11-21T02:30:00Z")
        #expect(moved.status == .ok)
        #expect(moved.json["session"]["started_at"] == "2026-11-21T02:30:00Z")
        #expect(moved.json["session"]["running_since"] == "2026-11-21T02:30:00Z")
        #expect(moved.json["elapsed_seconds"] == 5400)
        #expect(try await intervals(me) == ["manual 02:30 03:00", "timer 03:00"])
        #expect(await me.get("/me/today").json["study_seconds"] == 5400)
        let session = await me.post("/me/timer/stop").json["session"]
        #expect(session["source"] == "timer")
        #expect(session["seconds"] == 5400)
    }

    @Test func `a later start retracts the time before it, and both rows stay`() async throws {
        let me = try await running()
        let moved = await move(me, to: "2026-11-21T03:45:00Z")
        #expect(moved.json["session"]["running_since"] == "2026-11-21T03:45:00Z")
        #expect(moved.json["elapsed_seconds"] == 900)
        #expect(try await intervals(me) == ["timer 03:45"])
        let rows = try await TestDatabase.current.database.read(
            "SELECT started_at, ended_at, recorded_at, retracted_at FROM study_intervals WHERE uid = \(me.uid) ORDER BY 1"
        ).decode(Instant.self, Instant?.self, Instant.self, Instant?.self)
        let (began, now) = (Instant("2026-11-21T03:00:00Z")!, Instant("2026-11-21T04:00:00Z")!)
        #expect(rows.count == 2)
        #expect(rows[0] == (began, now, began, now))
        #expect(rows[1] == (began + 2700, nil, now, nil))
        #expect(await me.get("/me/today").json["study_seconds"] == 900)
    }

    @Test func `the start moves as often as one likes`() async throws {
        let me = try await running()
        _ = await move(me, to: "2026-11-21T02:00:00Z")
        _ = await move(me, to: "2026-11-21T01:00:00Z")
        #expect(try await intervals(me) == ["manual 01:00 02:00", "manual 02:00 03:00", "timer 03:00"])
        #expect(await move(me, to: "2026-11-21T02:20:00Z").json["elapsed_seconds"] == 6000)
        #expect(try await intervals(me) == ["manual 02:20 03:00", "timer 03:00"])
        #expect(await move(me, to: "2026-11-21T03:00:00Z").json["elapsed_seconds"] == 3600)
        #expect(try await intervals(me) == ["timer 03:00"])
        #expect(await move(me, to: "2026-11-21T03:30:00Z").json["elapsed_seconds"] == 1800)
        #expect(await move(me, to: "2026-11-21T03:00:00Z").json["elapsed_seconds"] == 3600)
        #expect(try await intervals(me) == ["manual 03:00 03:30", "timer 03:30"])
        #expect(await me.get("/me/today").json["study_seconds"] == 3600)
    }

    @Test func `moved to where it is, nothing changes`() async throws {
        let me = try await running()
        let before = await me.get("/me/timer").json
        #expect(await move(me, to: "2026-11-21T03:00:00Z").json == before)
        #expect(await move(me, to: "2026-11-21T12:00:00+09:00").json == before)
        let rows = try await TestDatabase.current.database.read("SELECT FROM study_intervals WHERE uid = \(me.uid)")
        #expect(rows.count == 1)
    }

    @Test func `a minute ahead is now, more is the future`() async throws {
        let me = try await running()
        #expect(await move(me, to: "2026-11-21T04:01:01Z").code == "in_the_future")
        let now = await move(me, to: "2026-11-21T04:01:00Z")
        #expect(now.json["session"]["running_since"] == "2026-11-21T04:00:00Z")
        #expect(now.json["elapsed_seconds"] == 0)
        let stopped = await me.post("/me/timer/stop").json
        #expect(stopped["session"]["intervals"] == [])
    }

    @Test(
        arguments: [
            ("2026-11-20T14:59:59Z", "too_long"), ("2026-11-18T03:00:00Z", "too_long"),
            ("2026-11-21T05:00:00Z", "in_the_future"), ("1969-12-31T23:59:59Z", "invalid_time"),
            ("noon", "invalid_time"),
        ])
    func `an impossible start is named and changes nothing`(time: String, code: String) async throws {
        let me = try await running()
        let before = await me.get("/me/timer").json
        let answer = await move(me, to: time)
        #expect(answer.status == .unprocessable)
        #expect(answer.code == code)
        #expect(answer.json["field"] == "started_at")
        #expect(await me.get("/me/timer").json == before)
    }

    @Test func `what is recorded before is in the way, and named`() async throws {
        let me = try await running()
        _ = await me.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        let over = await move(me, to: "2026-11-21T01:30:00Z")
        #expect(over.status == .conflict)
        #expect(over.code == "overlapping_interval")
        #expect(over.json["field"] == "started_at")
        #expect(over.json["overlaps"] == ["started_at": "2026-11-21T01:00:00Z", "ended_at": "2026-11-21T02:00:00Z"])
        #expect(over.json["detail"].string?.contains("10:00") == true)
        #expect(await move(me, to: "2026-11-21T02:00:00Z").status == .ok)
    }

    @Test func `only what runs moves, not the work before a pause`() async throws {
        let me = try await running()
        _ = await me.post("/me/timer/pause")
        #expect(await move(me, to: "2026-11-21T02:30:00Z").code == "timer_not_running")
        try await TestDatabase.current.advance(600)
        _ = await me.post("/me/timer/resume")
        try await TestDatabase.current.advance(600)
        let over = await move(me, to: "2026-11-21T03:30:00Z")
        #expect(over.code == "overlapping_interval")
        #expect(over.json["overlaps"]["ended_at"] == "2026-11-21T04:00:00Z")
        #expect(await move(me, to: "2026-11-21T04:05:00Z").json["elapsed_seconds"] == 4500)
        #expect(try await intervals(me) == ["timer 03:00 04:00", "manual 04:05 04:10", "timer 04:10"])
        #expect(await move(me, to: "2026-11-21T04:15:00Z").json["elapsed_seconds"] == 3900)
        #expect(try await intervals(me) == ["timer 03:00 04:00", "timer 04:15"])
    }

    @Test func `without a timer there is nothing to move`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let answer = await move(me, to: "2026-11-21T02:30:00Z")
        #expect(answer.status == .conflict)
        #expect(answer.code == "timer_not_running")
    }

    @Test func `a forgotten timer is in the way until its end is known`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(13 * 3600)
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(60)
        #expect(await move(me, to: "2026-11-21T14:00:00Z").code == "unconfirmed_timer")
    }

    @Test func `the phase of a cycle begins with it`() async throws {
        let me = try await running(["plan": ["work_seconds": 7200, "rest_seconds": 300]])
        let phase = await move(me, to: "2026-11-21T02:30:00Z").json["phase"]
        #expect(phase["number"] == 1)
        #expect(phase["started_at"] == "2026-11-21T02:30:00Z")
        #expect(phase["elapsed_seconds"] == 5400)
        #expect(await move(me, to: "2026-11-21T03:30:00Z").json["phase"]["remaining_seconds"] == 5400)
    }

    @Test func `a rest disappears when the work after it is moved to the start of the rest`() async throws {
        let me = try await running(["plan": ["work_seconds": 7200, "rest_seconds": 300]])
        _ = await me.post("/me/timer/pause")
        try await TestDatabase.current.advance(600)
        #expect(await me.post("/me/timer/resume").json["phase"]["number"] == 2)
        let phase = await move(me, to: "2026-11-21T04:00:00Z").json["phase"]
        #expect(phase["number"] == 1)
        #expect(phase["elapsed_seconds"] == 4200)
    }

    @Test func `what is left keeps the study clock it ran under`() async throws {
        let me = try await running()
        _ = try await TestDatabase.current.database.write("SELECT set_study_clock(\(me.uid), 'Europe/London', '05:00')")
        _ = await move(me, to: "2026-11-21T03:30:00Z")
        _ = await move(me, to: "2026-11-21T03:10:00Z")
        let zones = try await TestDatabase.current.database.read(
            """
            SELECT source, time_zone FROM study_intervals
            WHERE uid = \(me.uid) AND retracted_at IS NULL ORDER BY started_at
            """
        ).decode(String.self, String.self)
        #expect(zones.map(\.0) == ["manual", "timer"])
        #expect(zones.map(\.1) == ["Europe/London", "Asia/Seoul"])
    }

    @Test func `a timer begun earlier still ends 12 h after it was started`() async throws {
        let me = try await running()
        _ = await move(me, to: "2026-11-21T01:00:00Z")
        try await TestDatabase.current.advance(11 * 3600 - 1)
        #expect(await me.get("/me/timer").json["elapsed_seconds"] == 50_399)
        try await TestDatabase.current.advance(1)
        #expect(await me.get("/me/timer").json["state"] == "idle")
        #expect(await me.get("/me/today").json["study_seconds"] == 7200)
    }
}
