import HTTP
import TestSupport
import Testing

@testable import Study

@Suite(.database) struct PeriodGoalTests {
    @Test func `goals and dates are on today until they are removed`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let set = await me.put("/me/goals", ["week_seconds": 72000, "month_seconds": 0])
        #expect(set.json["items"].array?.count == 1)
        #expect(set.json["items"][0]["goal_seconds"] == 72000)
        let made = await me.post("/me/target-dates", ["title": "  Final exam ", "day": "2026-12-17"])
        #expect(made.status == .created)
        #expect(made.json["title"] == "Final exam")
        let today = await me.get("/me/today").json
        #expect(today["goals"] == set.json["items"])
        #expect(today["dates"][0] == made.json)
        let path = "/me/target-dates/\(made.json["id"].string ?? "")"
        #expect(made.headers["Location"] == "/api/v1\(path)")
        #expect(await me.delete(path).status == .noContent)
        #expect(await me.delete(path).status == .notFound)
        _ = await me.put("/me/goals", [:])
        #expect(await me.get("/me/today").json["goals"].array?.isEmpty == true)
    }

    @Test func `a date is moved or renamed, and keeps what is not named`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let made = await me.post("/me/target-dates", ["title": "Exam", "day": "2026-12-17"]).json
        let path = "/me/target-dates/\(made["id"].string ?? "")"
        let moved = await me.patch(path, ["day": "2026-11-25"])
        #expect(moved.json == ["id": made["id"], "title": "Exam", "day": "2026-11-25", "days_left": 4])
        let renamed = await me.patch(path, ["title": " Mock exam ", "day": nil])
        #expect(renamed.json == ["id": made["id"], "title": "Mock exam", "day": "2026-11-25", "days_left": 4])
        #expect(await me.get("/me/today").json["dates"] == [renamed.json])
        #expect(await me.patch(path, ["title": " "]).code == "invalid_date_title")
        let never = await me.patch(path, ["day": "2026-02-30"])
        #expect((never.code, never.json["field"]) == ("invalid_day", "day"))
        _ = await me.delete(path)
        #expect(await me.patch(path, [:]).status == .notFound)
    }

    @Test func `nobody changes or removes another's date`() async throws {
        let now = "2026-11-21T03:00:00Z"
        let (me, other) = (try await student(at: now), try await student(at: now))
        let made = await me.post("/me/target-dates", ["title": "Exam", "day": "2026-12-17"]).json
        let path = "/me/target-dates/\(made["id"].string ?? "")"
        #expect(await other.patch(path, ["title": "Mine"]).status == .notFound)
        #expect(await other.delete(path).status == .notFound)
        #expect(await me.get("/me/today").json["dates"] == [made])
        #expect(await me.get("/me/today").json["dates"].array?.count == 1)
        #expect(await other.get("/me/today").json["dates"].array?.isEmpty == true)
    }

    @Test(
        arguments: [
            (["week_seconds": 59], "invalid_period_goal", "week_seconds"),
            (["week_seconds": 604_801], "invalid_period_goal", "week_seconds"),
            (["month_seconds": 2_678_401], "invalid_period_goal", "month_seconds"),
            (["month_seconds": "much"], "wrong_type", "month_seconds"),
        ] as [(JSON, String, String)])
    func `a goal that cannot be is refused by its field`(body: JSON, code: String, field: String) async throws {
        let answer = await (try await student(at: "2026-11-21T03:00:00Z")).put("/me/goals", body)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
    }

    @Test(
        arguments: [
            (["title": " ", "day": "2026-12-17"], "invalid_date_title", "title"),
            (["title": "Exam", "day": "2026-02-30"], "invalid_day", "day"),
            (["title": "Exam"], "missing_field", "day"),
        ] as [(JSON, String, String)])
    func `a date that cannot be is refused by its field`(body: JSON, code: String, field: String) async throws {
        let answer = await (try await student(at: "2026-11-21T03:00:00Z")).post("/me/target-dates", body)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
    }

    @Test func `a day is shown in cells of ten minutes with its subjects`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let maths = await me.post("/me/subjects", ["name": "Maths", "colour": "sky"]).json
        _ = await me.post(
            "/me/sessions",
            [
                "subject_id": maths["id"],
                "intervals": [["started_at": "2026-11-21T00:05:00Z", "ended_at": "2026-11-21T00:20:00Z"]],
            ])
        let strip = await me.get("/me/days/2026-11-21/strip").json
        #expect(strip["time_zone"] == "Asia/Seoul")
        #expect(strip["starts_at"] == "2026-11-20T20:00:00Z")
        #expect(strip["subjects"] == [["id": maths["id"], "name": "Maths", "colour": "sky"]])
        #expect(strip["cells"].array?.map { $0["seconds"] } == [300, 600])
        #expect(await me.get("/me/days/2026-11-20/strip").json["cells"].array?.isEmpty == true)
        let never = await me.get("/me/days/november/strip")
        #expect(never.code == "invalid_day")
        #expect(never.json["detail"] == "Write a day like 2026-11-21.")
    }
}
