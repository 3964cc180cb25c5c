import Foundation
import HTTP
import Postgres
import Study
import TestSupport
import Testing

@Suite(.database) struct SessionChangeTests {
    @Test func `a new end retracts what was there and records it anew, both stay in the history`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let path = await me.logged("2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z")
        try await TestDatabase.current.advance(60)
        let changed = await me.patch(path, ["ended_at": "2026-11-21T09:30:00Z"])
        #expect(changed.status == .ok)
        #expect(changed.json["seconds"] == 5400)
        #expect(changed.json["started_at"] == "2026-11-21T08:00:00Z")
        #expect(await me.get(path).json == changed.json)
        #expect(await me.get("/me/today").json["study_seconds"] == 5400)
        let history = await me.get(path + "/history").json["items"]
        #expect(history.array?.count == 2)
        #expect(history[0]["ended_at"] == "2026-11-21T09:00:00Z")
        #expect(history[0]["recorded_at"] == "2026-11-21T12:00:00Z")
        #expect(history[0]["retracted_at"] == "2026-11-21T12:01:00Z")
        #expect(history[1]["ended_at"] == "2026-11-21T09:30:00Z")
        #expect(history[1]["recorded_at"] == "2026-11-21T12:01:00Z")
        #expect(history[1]["retracted_at"].isNull)
        #expect(history[1]["interval_id"] == changed.json["intervals"][0]["id"])
    }

    @Test func `breaks stay where begin or end move, and what was as wanted is not recorded twice`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let path = await me.logged(("08:00", "09:00"), ("09:30", "10:00"), ("10:30", "11:00"))
        let shorter = await me.patch(path, ["started_at": "2026-11-21T09:40:00Z", "ended_at": "2026-11-21T11:15:00Z"])
        #expect(
            shorter.json["intervals"].array?.map { [$0["started_at"], $0["ended_at"]] } == [
                ["2026-11-21T09:40:00Z", "2026-11-21T10:00:00Z"], ["2026-11-21T10:30:00Z", "2026-11-21T11:15:00Z"],
            ])
        #expect(await me.get(path + "/history").json["items"].array?.count == 5)
        let again = await me.patch(path, ["started_at": "2026-11-21T09:40:00Z"])
        #expect(again.json == shorter.json)
        #expect(await me.get(path + "/history").json["items"].array?.count == 5)
        let apart = await me.patch(path, ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:00:00Z"])
        #expect(apart.json["seconds"] == 3600)
        #expect(apart.json["intervals"].array?.count == 1)
    }

    @Test func `intervals replace those there are`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let path = await me.logged("2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z")
        let answer = await me.patch(path, ["intervals": stretches(("07:00", "07:10"), ("08:00", "09:00"))])
        #expect(answer.json["seconds"] == 4200)
        #expect(await me.get(path + "/history").json["items"].array?.count == 2)
    }

    @Test func `inside what the timer measured time stays the timer's, beyond it is by hand`() async throws {
        let me = try await student(at: "2026-11-21T08:00:00Z")
        let path = try await me.timed(3600)
        let longer = await me.patch(path, ["ended_at": "2026-11-21T09:00:00Z", "started_at": "2026-11-21T08:20:00Z"])
        #expect(longer.json["intervals"].array?.map { $0["source"] } == ["timer"])
        #expect(longer.json["seconds"] == 2400)
        let wider = await me.patch(path, ["started_at": "2026-11-21T07:50:00Z"])
        #expect(wider.json["intervals"].array?.map { $0["source"] } == ["manual", "timer"])
        #expect(wider.json["seconds"] == 4200)
        #expect(wider.json["source"] == "timer")
        #expect(await me.get("/me/today").json["study_seconds"] == 4200)
    }

    @Test func `subject, task and note change alone, null clears, what is left out stays`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let (subject, task) = try await me.things()
        let logged = await me.post(
            "/me/sessions",
            [
                "started_at": "2026-11-21T08:00:00Z", "ended_at": "2026-11-21T09:00:00Z", "subject_id": subject,
                "note": "one",
            ])
        #expect(logged.json["subject_id"] == subject)
        let path = "/me/sessions/\(logged.json["id"].string ?? "-")"
        let told = await me.patch(path, ["task_id": task, "note": "two"]).json
        #expect([told["subject_id"], told["task_id"], told["note"]] == [subject, task, "two"])
        let cleared = await me.patch(path, ["subject_id": nil, "note": nil, "started_at": nil]).json
        #expect([cleared["subject_id"], cleared["task_id"], cleared["note"]] == [nil, task, nil])
        #expect(cleared["intervals"] == logged.json["intervals"])
        #expect(await me.patch(path, [:]).json == cleared)
        #expect(await me.get(path + "/history").json["items"].array?.count == 1)
    }

    @Test(arguments: ["subject", "task"])
    func `nobody studies another's subject or task`(kind: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let (subject, task) = try await Person("Haneul", study()).things()
        let theirs: JSON = ["subject_id": subject, "task_id": task]
        let path = await me.logged("2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z")
        for id in [theirs["\(kind)_id"], .string(UUID().uuidString)] {
            let refused = await me.patch(path, .object(["\(kind)_id": id, "ended_at": "2026-11-21T08:30:00Z"]))
            #expect(refused.status == .unprocessable)
            #expect(refused.code == "unknown_\(kind)")
            #expect(refused.json["field"].string == "\(kind)_id")
            #expect(await me.get(path).json["seconds"] == 3600)
            let draft: JSON = .object([
                "\(kind)_id": id, "started_at": "2026-11-21T06:00:00Z", "ended_at": "2026-11-21T06:30:00Z",
            ])
            #expect(await me.post("/me/sessions", draft).code == "unknown_\(kind)")
        }
    }

    @Test(
        arguments: [
            (["ended_at": "2026-11-21T08:00:00Z"], .unprocessable, "empty_interval", "ended_at"),
            (["started_at": "2026-11-21T09:00:00Z"], .unprocessable, "empty_interval", "started_at"),
            (["ended_at": "2026-11-21T12:01:01Z"], .unprocessable, "in_the_future", "ended_at"),
            (["started_at": "2026-11-20T20:59:59Z"], .unprocessable, "too_long", "started_at"),
            (
                ["started_at": "2026-11-19T11:59:59Z", "ended_at": "2026-11-19T13:00:00Z"], .unprocessable, "too_old",
                "started_at"
            ),
            (["started_at": "2026-11-21T06:59:59Z"], .conflict, "overlapping_interval", "started_at"),
            (["intervals": []], .unprocessable, "invalid_intervals", "intervals"),
            (
                ["intervals": stretches(("05:00", "06:00")), "ended_at": "2026-11-21T08:00:00Z"], .unprocessable,
                "both_forms", "ended_at"
            ),
            (["intervals": stretches(("06:30", "06:40"))], .conflict, "overlapping_interval", "intervals"),
            (
                ["intervals": stretches(("05:00", "06:00"), ("05:30", "05:31"))], .conflict, "overlapping_interval",
                "intervals"
            ),
            (["note": .string(String(repeating: "ㄱ", count: 2001))], .unprocessable, "invalid_note", "note"),
            (["source": "manual"], .badRequest, "unknown_field", "source"),
            (["note": 1], .badRequest, "wrong_type", "note"),
        ] as [(JSON, Status, String, String)])
    func `a change against a rule names it and its field and changes nothing`(
        change: JSON, status: Status, code: String, field: String
    ) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        _ = await me.log("2026-11-21T06:00:00Z", "2026-11-21T07:00:00Z")
        let path = await me.logged("2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z")
        let before = await me.get(path).json
        let answer = await me.patch(path, change)
        #expect(answer.status == status)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
        #expect(await me.get(path).json == before)
        #expect(await me.get(path + "/history").json["items"].array?.count == 1)
        #expect(await me.get("/me/today").json["study_seconds"] == 7200)
    }

    @Test func `what is in the way of a change is named, the session itself never is`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        _ = await me.log("2026-11-21T09:10:00Z", "2026-11-21T09:20:00Z")
        _ = await me.log("2026-11-21T10:00:00Z", "2026-11-21T10:30:00Z")
        let path = await me.logged(("08:00", "09:00"), ("09:30", "09:40"))
        let answer = await me.patch(path, ["ended_at": "2026-11-21T10:10:00Z"])
        #expect(answer.code == "overlapping_interval")
        #expect(answer.json["overlaps"] == ["started_at": "2026-11-21T10:00:00Z", "ended_at": "2026-11-21T10:30:00Z"])
        #expect(answer.json["detail"] == "This overlaps 19:00 – 19:30. Change the start or the end.")
    }

    @Test func `a session is changed or taken back for 48 hours after its end and not a second longer`() async throws {
        let me = try await student(at: "2026-11-19T12:00:00Z")
        let first = await me.logged("2026-11-19T09:00:00Z", "2026-11-19T12:00:00Z")
        let second = await me.logged("2026-11-19T08:00:00Z", "2026-11-19T09:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T09:00:01Z")
        for answer in [await me.delete(second), await me.patch(second, ["note": "late"])] {
            #expect(answer.status == .unprocessable)
            #expect(answer.code == "too_old")
            #expect(answer.json["field"].isNull)
        }
        try await TestDatabase.current.setClock("2026-11-21T12:00:00Z")
        // It began more than 48 h ago: it may be made shorter, for that is nothing new, but not longer.
        #expect(await me.patch(first, ["started_at": "2026-11-19T08:59:00Z"]).code == "too_old")
        #expect(await me.patch(first, ["started_at": "2026-11-19T10:00:00Z"]).json["seconds"] == 7200)
        #expect(await me.patch(first, ["started_at": "2026-11-19T09:30:00Z"]).code == "too_old")
        #expect(await me.delete(first).status == .noContent)
        try await TestDatabase.current.advance(1)
        #expect(await me.delete(first).status == .notFound)
        #expect(await me.get("/me/today").json["total_seconds"] == 3600)
    }

    @Test func `an import is taken back at any time, and so is a timer that was never confirmed`() async throws {
        let me = try await student(at: "2026-11-10T12:00:00Z")
        _ = await me.post("/me/timer/start")
        let imported = await me.post(
            "/me/sessions",
            ["started_at": "2020-01-01T05:00:00Z", "ended_at": "2020-01-01T06:00:00Z", "source": "import"])
        let old = "/me/sessions/\(imported.json["id"].string ?? "-")"
        #expect(await me.patch(old, ["ended_at": "2020-01-01T06:30:00Z"]).json["intervals"][0]["source"] == "import")
        #expect(await me.delete(old).status == .noContent)
        try await TestDatabase.current.setClock("2026-11-21T12:00:00Z")
        let session = await me.post("/me/timer/stop").json["session"]
        #expect(session["state"] == "unconfirmed")
        let forgotten = "/me/sessions/\(session["id"].string ?? "-")"
        #expect(await me.patch(forgotten, ["ended_at": "2026-11-10T13:00:00Z"]).code == "unconfirmed_timer")
        #expect(await me.patch(forgotten, ["note": "asleep"]).json["note"] == "asleep")
        #expect(await me.delete(forgotten).status == .noContent)
    }

    @Test func `while its timer runs a session can be told what it is about, its times are the timer's`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let id = await me.post("/me/timer/start").json["session"]["id"].string ?? "-"
        #expect(await me.patch("/me/sessions/\(id)", ["note": "calculus"]).json["note"] == "calculus")
        #expect(
            await me.patch("/me/sessions/\(id)", ["started_at": "2026-11-21T11:00:00Z"]).code == "timer_still_running")
        #expect(await me.get("/me/sessions/\(id)/history").json["items"][0]["ended_at"].isNull)
    }

    @Test func `the history of a session that was taken back stays its owner's, and nobody else's`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let other = try await Person("Haneul", study())
        let path = await me.logged("2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z")
        _ = await me.delete(path)
        let items = await me.get(path + "/history").json["items"]
        #expect(items.array?.map { $0["retracted_at"] } == ["2026-11-21T12:00:00Z"])
        #expect(await me.patch(path, ["note": "x"]).status == .notFound)
        #expect(await other.get(path + "/history").status == .notFound)
        #expect(await other.patch(path, ["note": "x"]).status == .notFound)
    }

    @Test func `of 16 changes and takings back at once each is whole, and totals stay those of the intervals`()
        async throws
    {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let path = await me.logged("2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z")
        let answers = await withTaskGroup { group in
            for minute in 10..<25 {
                group.addTask { await me.patch(path, .object(["ended_at": .string("2026-11-21T09:\(minute):00Z")])) }
            }
            group.addTask { await me.delete(path) }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { [.ok, .noContent, .notFound].contains($0.status) })
        #expect(answers.filter { $0.status == .noContent }.count == 1)
        #expect(await me.get(path).status == .notFound)
        #expect(await me.get("/me/today").json["study_seconds"] == 0)
        let history = await me.get(path + "/history").json["items"].array ?? []
        #expect(history.count == answers.filter { $0.status == .ok }.count + 1)
        #expect(history.allSatisfy { !$0["retracted_at"].isNull })
    }
}

/// Stretches of 21 November 2026, by hours and minutes in UTC.
private func stretches(_ times: (String, String)...) -> JSON {
    .array(times.map { ["started_at": "2026-11-21T\($0.0):00Z", "ended_at": "2026-11-21T\($0.1):00Z"] })
}

extension Person {
    /// Where a session written down now is.
    fileprivate func logged(_ startedAt: String, _ endedAt: String) async -> String {
        "/me/sessions/\(await log(startedAt, endedAt).json["id"].string ?? "-")"
    }

    /// The same for a session of several stretches of 21 November 2026.
    fileprivate func logged(_ times: (String, String)...) async -> String {
        let list = JSON.array(
            times.map { ["started_at": "2026-11-21T\($0.0):00Z", "ended_at": "2026-11-21T\($0.1):00Z"] })
        let id = await post("/me/sessions", .object(["intervals": list])).json["id"].string
        return "/me/sessions/\(id ?? "-")"
    }

    /// Where a session timed from now on is, stopped after so many seconds.
    fileprivate func timed(_ seconds: Int) async throws -> String {
        let id = await post("/me/timer/start").json["session"]["id"].string
        try await TestDatabase.current.advance(seconds)
        _ = await post("/me/timer/stop")
        return "/me/sessions/\(id ?? "-")"
    }

    /// A subject and a task of theirs.
    fileprivate func things() async throws -> (subject: JSON, task: JSON) {
        let (subject, task) = (ID(), ID())
        let database = TestDatabase.current.database
        _ = try await database.write("SELECT add_label(\(uid), 'subject', \(subject), 'Mathematics', NULL)")
        _ = try await database.write("SELECT add_task(\(uid), \(task), 'Chapter 3', NULL, '{}')")
        return (.string(subject.description), .string(task.description))
    }
}
