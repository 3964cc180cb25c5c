import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct StreakTests {
    /// Somebody in Seoul at noon of that day in 2026, whose goal is an hour.
    private func student(on day: String) async throws -> Person {
        let me = try await StudyTests.student(at: "2026-\(day)T03:00:00Z")
        try await TestDatabase.current.sql("UPDATE students SET daily_goal_seconds = 3600")
        return me
    }

    private func study(_ me: Person, on days: String...) async throws {
        for day in days { try await me.bring("2026-\(day)T00:00:00Z", hours: 1) }
    }

    private func streaks(_ me: Person) async -> [Int?] {
        let streaks = await me.get("/me/today").json["streaks"]
        #expect(await me.get("/me/days").json["streaks"] == streaks)
        return [streaks["current"].int, streaks["longest"].int]
    }

    private func plan(_ me: Person, _ day: String) async -> Status { await me.put("/me/rest-days/2026-\(day)").status }

    @Test func `a day that is not over never breaks a streak`() async throws {
        let me = try await student(on: "11-21")
        #expect(await streaks(me) == [0, 0])
        try await study(me, on: "11-18", "11-19", "11-20")
        #expect(await streaks(me) == [3, 3])
        try await study(me, on: "11-21")
        #expect(await streaks(me) == [4, 4])
        try await TestDatabase.current.setClock("2026-11-22T19:59:59Z")
        #expect(await streaks(me) == [4, 4])
        try await TestDatabase.current.advance(1)
        #expect(await streaks(me) == [0, 4])
    }

    @Test func `a day below its goal breaks it, and the longest one stays`() async throws {
        let me = try await student(on: "11-21")
        try await study(me, on: "11-14", "11-15", "11-16", "11-18", "11-20")
        try await TestDatabase.current.sql(
            """
            SELECT record_session(uid, NULL, '{2026-11-19T00:00:00Z}', '{2026-11-19T00:59:59Z}', 'import') FROM users
            """)
        #expect(await streaks(me) == [1, 3])
    }

    @Test func `study taken back takes the streak with it`() async throws {
        let me = try await student(on: "11-21")
        try await study(me, on: "11-19", "11-21")
        let session = await me.log("2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z").json["id"].string!
        #expect(await streaks(me) == [3, 3])
        #expect(await me.delete("/me/sessions/\(session)").status == .noContent)
        #expect(await streaks(me) == [1, 1])
    }

    @Test func `a planned rest day neither adds nor breaks; studied, it counts as any day`() async throws {
        let me = try await student(on: "11-17")
        try await study(me, on: "11-16", "11-17")
        #expect(await plan(me, "11-18") == .noContent)
        #expect(await plan(me, "11-20") == .noContent)
        #expect(await streaks(me) == [2, 2])
        try await TestDatabase.current.setClock("2026-11-19T03:00:00Z")
        #expect(await streaks(me) == [2, 2])
        try await TestDatabase.current.setClock("2026-11-20T03:00:00Z")
        try await study(me, on: "11-19", "11-20")
        #expect(await streaks(me) == [4, 4])
        #expect(await me.get("/me/today").json["rest"] == true)
        try await TestDatabase.current.setClock("2026-11-22T03:00:00Z")
        #expect(await streaks(me) == [0, 4])
    }

    @Test func `rest days of two months meet where the months do`() async throws {
        let me = try await student(on: "10-29")
        try await study(me, on: "10-29")
        for day in ["10-30", "10-31", "11-01", "11-02"] { #expect(await plan(me, day) == .noContent) }
        try await TestDatabase.current.setClock("2026-11-03T03:00:00Z")
        #expect(await streaks(me) == [1, 1])
        try await study(me, on: "11-03")
        #expect(await streaks(me) == [2, 2])
        let month = await me.get("/me/days?month=2026-10").json["days"]
        #expect(month[29]["rest"] == true)
        #expect(month[28]["rest"] == false)
    }

    @Test func `a month has two rest days at most, from today on`() async throws {
        let me = try await student(on: "11-21")
        #expect(await plan(me, "11-21") == .noContent)
        #expect(await plan(me, "11-30") == .noContent)
        #expect(await plan(me, "11-30") == .noContent)
        #expect(await me.put("/me/rest-days/2026-11-25").code == "too_many_rest_days")
        #expect(await plan(me, "12-01") == .noContent)
        #expect(await me.put("/me/rest-days/2026-11-20").code == "not_in_the_future")
        #expect(await me.put("/me/rest-days/2027-11-22").status == .noContent)
        #expect(await me.put("/me/rest-days/2027-11-23").code == "too_far_ahead")
        #expect(await me.put("/me/rest-days/2026-02-30").code == "invalid_day")
        #expect(await me.delete("/me/rest-days/2026-11-30").status == .noContent)
        #expect(await me.delete("/me/rest-days/2026-11-30").status == .notFound)
        #expect(await plan(me, "11-25") == .noContent)
        try await TestDatabase.current.setClock("2026-11-22T03:00:00Z")
        #expect(await me.delete("/me/rest-days/2026-11-21").code == "not_in_the_future")
        #expect(await me.put("/me/rest-days/2026-11-28").code == "too_many_rest_days")
    }

    @Test func `two devices that plan at once do not plan a third day`() async throws {
        let me = try await student(on: "11-21")
        let statuses = await withTaskGroup(of: Status.self) { group in
            for day in 23...30 { group.addTask { await me.put("/me/rest-days/2026-11-\(day)").status } }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [.noContent: 2, .unprocessable: 6])
    }

    @Test func `a date that never came breaks no streak`() async throws {
        // Samoa went from Thursday the 29th to Saturday the 31st of December 2011.
        let me = try await StudyTests.student(at: "2011-12-31T20:00:00Z", timeZone: "Pacific/Apia")
        try await me.setGoal(3600)
        try await TestDatabase.current.sql("DELETE FROM past_goals")
        for day in ["2011-12-28T20:00:00Z", "2011-12-29T20:00:00Z", "2011-12-30T20:00:00Z"] {
            try await me.bring(day, hours: 1)
        }
        let december = await me.get("/me/days?month=2011-12").json
        #expect(
            december["days"].array?.filter { $0["study"] == true }.map { $0["day"] } == [
                "2011-12-28", "2011-12-29", "2011-12-31",
            ])
        #expect(december["streaks"] == ["current": 3, "longest": 3])
        #expect(december["days"][29]["study_seconds"] == 0)
    }

    @Test func `after a move to the west a streak waits for the day that comes again`() async throws {
        let me = try await student(on: "11-21")
        try await study(me, on: "11-20", "11-21")
        try await me.moveClock(to: "Pacific/Honolulu")  // 17:00 of the 20th
        #expect(await streaks(me) == [1, 1])
        try await TestDatabase.current.setClock("2026-11-21T16:00:00Z")
        #expect(await streaks(me) == [2, 2])
    }
}
