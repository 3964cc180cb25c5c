import HTTP
import Postgres
import Study
import TestSupport
import Testing

/// Each case is in Seoul, at noon of Saturday 21 November 2026, unless it says otherwise.
@Suite(.database) struct CalendarTests {
    private static let noon = "2026-11-21T03:00:00Z"

    @Test func `a month shows each of its days, those to come with nothing but their goal`() async throws {
        let me = try await student(at: Self.noon)
        _ = await me.log("2026-11-20T00:00:00Z", "2026-11-20T04:00:00Z")
        _ = await me.log("2026-11-21T00:00:00Z", "2026-11-21T01:30:00Z")
        try await me.wakeUp(on: "2026-11-20", "2026-11-21")
        let month = await me.get("/me/days").json
        #expect(month == (await me.get("/me/days?month=2026-11").json))
        #expect(month["month"] == "2026-11")
        #expect(month["days"].array?.count == 30)
        #expect(
            month["days"][19] == [
                "day": "2026-11-20", "study_seconds": 14400, "goal_seconds": 14400, "growth": "sprout",
                "wake_up": true, "study": true, "perfect": true, "rest": false,
            ])
        #expect(month["days"][20]["wake_up"] == true)
        #expect(month["days"][20]["perfect"] == false)
        #expect(
            month["days"][29] == [
                "day": "2026-11-30", "study_seconds": 0, "goal_seconds": 14400, "growth": "seed",
                "wake_up": false, "study": false, "perfect": false, "rest": false,
            ])
        #expect(month["totals"] == ["study_seconds": 19800, "perfect": 1, "trees": 0])
        #expect(month["streaks"] == ["current": 1, "longest": 1])
    }

    @Test func `a year shows the days with something on them`() async throws {
        let me = try await student(at: Self.noon)
        try await me.bring("2026-01-01T00:00:00Z", hours: 9)
        try await me.bring("2025-12-31T00:00:00Z", hours: 1)
        _ = await me.log("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z")
        try await me.wakeUp(on: "2026-03-01")
        let year = await me.get("/me/days?year=2026").json
        #expect(year["year"] == 2026)
        #expect(year["days"].array?.compactMap { $0["day"].string } == ["2026-01-01", "2026-03-01", "2026-11-21"])
        #expect(year["days"][0]["growth"] == "tree")
        #expect(year["days"][1]["study_seconds"] == 0)
        #expect(year["totals"] == ["study_seconds": 36000, "perfect": 0, "trees": 1])
        #expect(await me.get("/me/days?year=2024").json["days"] == [])
    }

    @Test func `the calendar and today agree while the timer runs, and ants wait for recorded time`() async throws {
        let me = try await student(at: Self.noon)
        _ = await me.log("2026-11-20T20:00:00Z", "2026-11-21T03:00:00Z")
        try await me.setGoal(8 * 3600)
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(2 * 3600)
        let (today, month) = (await me.get("/me/today").json, await me.get("/me/days").json)
        #expect(today["study_seconds"] == 32400)
        #expect(today["growth"] == "tree")
        #expect(today["goal_met"] == true)
        #expect(today["ants"]["study"] == false)
        #expect(today["month"] == ["trees": 1, "perfect": 0])
        #expect(month["days"][20]["study_seconds"] == 32400)
        #expect(month["days"][20]["growth"] == "tree")
        #expect(month["days"][20]["study"] == false)
        #expect(month["totals"]["trees"] == 1)
        #expect(await me.get("/me/days?year=2026").json["totals"]["study_seconds"] == 32400)
    }

    @Test func `a day is perfect with both ants on one date, and no more when its study is taken back`() async throws {
        let me = try await student(at: Self.noon)
        try await me.wakeUp(on: "2026-11-21")
        let session = await me.log("2026-11-20T20:00:00Z", "2026-11-21T00:00:00Z").json["id"].string!
        var today = await me.get("/me/today").json
        #expect(today["ants"] == ["wake_up": true, "study": true, "perfect": true])
        #expect(today["month"]["perfect"] == 1)
        #expect(today["streaks"] == ["current": 1, "longest": 1])
        _ = await me.delete("/me/sessions/\(session)")
        today = await me.get("/me/today").json
        #expect(today["ants"] == ["wake_up": true, "study": false, "perfect": false])
        #expect(today["month"]["perfect"] == 0)
        #expect(today["streaks"] == ["current": 0, "longest": 0])
    }

    @Test func `the wake-up ant of a midnight day is on the study day of the same date`() async throws {
        // 04:00 of the 22nd: the alarm has rung for the 22nd, the study day is still the 21st.
        let me = try await student(at: "2026-11-21T19:00:00Z")
        try await me.wakeUp(on: "2026-11-22")
        #expect(await me.get("/me/today").json["ants"]["wake_up"] == false)
        try await TestDatabase.current.advance(3600)
        #expect(await me.get("/me/today").json["ants"]["wake_up"] == true)
    }

    @Test func `of many devices that want to tell of the perfect ant at once one may`() async throws {
        let me = try await student(at: Self.noon)
        let statuses = await withTaskGroup(of: Status.self) { tasks in
            for _ in 0..<8 { tasks.addTask { await me.post("/me/today/perfect-announcement").status } }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == .noContent } == 1)
        #expect(statuses.count { $0 == .conflict } == 7)
    }

    @Test func `the perfect ant is announced once a day, whichever device shows it`() async throws {
        let me = try await student(at: Self.noon)
        #expect(await me.get("/me/today").json["perfect_announced"] == false)
        #expect(await me.post("/me/today/perfect-announcement").status == .noContent)
        #expect(await me.post("/me/today/perfect-announcement", ["day": "2026-11-21"]).code == "already_announced")
        #expect(await me.get("/me/today").json["perfect_announced"] == true)
        try await TestDatabase.current.setClock("2026-11-21T20:00:00Z")
        #expect(await me.get("/me/today").json["perfect_announced"] == false)
        // Shown at 04:59, acknowledged at 05:00: it was yesterday's, and today's is still to come.
        #expect(await me.post("/me/today/perfect-announcement", ["day": "2026-11-21"]).code == "already_announced")
        #expect(await me.get("/me/today").json["perfect_announced"] == false)
        #expect(await me.post("/me/today/perfect-announcement", ["day": "2026-11-20"]).code == "not_today")
        #expect(await me.post("/me/today/perfect-announcement", ["day": "2026-11-23"]).code == "not_today")
    }

    @Test func `a session across 05:00 earns the ant of the day that it completed`() async throws {
        let me = try await student(at: "2026-11-21T16:30:00Z")
        try await me.wakeUp(on: "2026-11-21")
        _ = await me.log("2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(3 * 3600)
        _ = await me.post("/me/timer/pause")  // 04:30, and the goal is met
        _ = await me.post("/me/timer/resume")
        try await TestDatabase.current.advance(3600)
        let stopped = await me.post("/me/timer/stop").json
        #expect(stopped["earned"] == ["study": true, "perfect": true])
        #expect(stopped["today"]["day"] == "2026-11-22")
        #expect(stopped["today"]["ants"]["study"] == false)
        #expect(await me.get("/me/days").json["days"][20]["perfect"] == true)
    }

    @Test func `a long night and a short one have days of 25 and 23 hours`() async throws {
        let me = try await student(at: "2026-11-02T00:00:00Z", timeZone: "America/New_York")
        // The study day of 31 October ends an hour late, that of 7 March 2026 an hour early.
        try await me.bring("2026-10-31T09:00:00Z", hours: 12)
        try await me.bring("2026-10-31T21:00:00Z", hours: 12)
        try await me.bring("2026-11-01T09:00:00Z", hours: 2)
        try await me.bring("2026-03-07T10:00:00Z", hours: 12)
        try await me.bring("2026-03-07T22:00:00Z", hours: 12)
        let (october, march) = (
            await me.get("/me/days?month=2026-10").json, await me.get("/me/days?month=2026-03").json
        )
        #expect(october["days"][30]["study_seconds"] == .integer(25 * 3600))
        #expect(await me.get("/me/days?month=2026-11").json["days"][0]["study_seconds"] == 3600)
        #expect(march["days"][6]["study_seconds"] == .integer(23 * 3600))
        #expect(march["days"][7]["study_seconds"] == 3600)
    }

    @Test func `after a move the past stays, and the day of the move is longer`() async throws {
        let me = try await student(at: "2026-11-21T14:00:00Z")
        _ = await me.log("2026-11-20T20:00:00Z", "2026-11-21T08:00:00Z")
        _ = await me.log("2026-11-21T08:00:00Z", "2026-11-21T14:00:00Z")
        _ = await me.log("2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z")
        try await me.moveClock(to: "America/New_York")
        try await TestDatabase.current.setClock("2026-11-22T09:59:00Z")
        _ = await me.log("2026-11-21T14:00:00Z", "2026-11-22T00:00:00Z")
        let today = await me.get("/me/today").json
        #expect(today["day"] == "2026-11-21")
        #expect(today["study_seconds"] == .integer(28 * 3600))
        #expect(today["yesterday_seconds"] == 3600)
    }

    @Test func `what has not changed is not sent again`() async throws {
        let me = try await student(at: Self.noon)
        for path in ["/me/today", "/me/days", "/me/days?year=2026", "/me/rhythm"] {
            let first = await me.get(path)
            let tag = try #require(first.headers["ETag"])
            #expect(await me.get(path, headers: ["If-None-Match": tag]).status == .notModified)
            _ = await me.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
            #expect(await me.get(path, headers: ["If-None-Match": tag]).status == .ok)
            try await TestDatabase.current.sql(
                "SELECT retract_session(uid, session_id) FROM study_sessions WHERE state = 'finished'")
        }
    }

    @Test(arguments: [
        ("/me/days?month=2026-13", "invalid_month", "month"), ("/me/days?month=2026-11-01", "invalid_month", "month"),
        ("/me/days?year=26", "invalid_year", "year"), ("/me/days?month=2026-11&year=2026", "both_forms", "year"),
        ("/me/rhythm?from=2026-02-30", "invalid_day", "from"),
        ("/me/rhythm?from=2026-02-02&to=2026-02-01", "invalid_day", "to"),
        ("/me/rhythm?from=2025-01-01&to=2026-01-02", "invalid_day", "to"),
    ])
    func `a period that does not exist is refused by its name`(path: String, code: String, field: String) async throws {
        let answer = try await student(at: Self.noon).get(path)
        #expect(answer.status == .unprocessable)
        #expect(answer.code == code)
        #expect(answer.json["field"] == .string(field))
    }
}
