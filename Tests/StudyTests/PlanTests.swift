import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct PlanTests {
    private static let paper: JSON = ["name": "논문 40/5", "work_seconds": 2400, "rest_seconds": 300]

    @Test func `everybody is offered the same three, and none of their own at first`() async throws {
        let plans = try await student(at: "2026-11-21T03:00:00Z").get("/me/plans")
        #expect(plans.status == .ok)
        #expect(plans.json["presets"].array?.map(\.["name"]) == ["25/5", "50/10", "90/20"])
        #expect(plans.json["presets"].array?.map(\.["work_seconds"]) == [1500, 3000, 5400])
        #expect(plans.json["presets"].array?.map(\.["rest_seconds"]) == [300, 600, 1200])
        #expect(plans.json["own"] == [])
    }

    @Test func `a plan is kept under its name`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let saved = await me.put("/me/plan", Self.paper)
        #expect(saved.status == .ok)
        #expect(saved.json == Self.paper)
        try await TestDatabase.current.advance(1)
        _ = await me.put("/me/plan", ["name": "a", "work_seconds": 60, "rest_seconds": 60])
        _ = await me.put("/me/plan", ["name": "논문 40/5", "work_seconds": 3600, "rest_seconds": 300])
        let own = await me.get("/me/plans").json["own"].array ?? []
        #expect(own.map(\.["name"]) == ["논문 40/5", "a"])
        #expect(own.map(\.["work_seconds"]) == [3600, 60])
    }

    @Test func `a name is trimmed and composed, so that one name is one plan`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.put("/me/plan", ["name": " 논문 ", "work_seconds": 60, "rest_seconds": 60])
        let decomposed = "논문".decomposedStringWithCanonicalMapping
        _ = await me.put("/me/plan", ["name": .string(decomposed), "work_seconds": 120, "rest_seconds": 60])
        let own = await me.get("/me/plans").json["own"]
        #expect(own == [["name": "논문", "work_seconds": 120, "rest_seconds": 60]])
    }

    @Test func `a deleted plan is gone, and the sessions started with it keep theirs`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.put("/me/plan", Self.paper)
        let session = await me.post("/me/timer/start", ["plan": Self.paper]).json["session"]["id"].string ?? "-"
        #expect(await me.delete("/me/plans/%EB%85%BC%EB%AC%B8%2040%2F5").status == .noContent)
        #expect(await me.get("/me/plans").json["own"] == [])
        #expect(await me.delete("/me/plans/%EB%85%BC%EB%AC%B8%2040%2F5").status == .notFound)
        #expect(await me.get("/me/sessions/\(session)").json["plan"] == Self.paper)
        #expect(await me.get("/me/timer").json["plan"] == Self.paper)
    }

    @Test(arguments: [".", ".."])
    func `a name that no address can hold is refused`(name: String) async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let answer = await me.put("/me/plan", ["name": .string(name), "work_seconds": 60, "rest_seconds": 60])
        #expect(answer.status == .unprocessable)
        #expect(answer.code == "invalid_plan_name")
        #expect(answer.json["field"] == "name")
        #expect(await me.get("/me/plans").json["own"] == [])
    }

    @Test func `plans are one's own`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let other = try await student(at: "2026-11-21T03:00:00Z", "Minsu")
        _ = await me.put("/me/plan", ["name": "a", "work_seconds": 60, "rest_seconds": 60])
        #expect(await other.get("/me/plans").json["own"] == [])
        #expect(await other.delete("/me/plans/a").code == "not_found")
        #expect(await me.get("/me/plans").json["own"].array?.count == 1)
    }

    @Test func `there are at most twenty`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        for number in 1...20 {
            let plan: JSON = ["name": .string("\(number)"), "work_seconds": 60, "rest_seconds": 60]
            #expect(await me.put("/me/plan", plan).status == .ok)
        }
        let more = await me.put("/me/plan", Self.paper)
        #expect(more.status == .unprocessable)
        #expect(more.code == "too_many_plans")
        #expect(await me.get("/me/plans").json["own"].array?.count == 20)
        let again = await me.put("/me/plan", ["name": "20", "work_seconds": 600, "rest_seconds": 60])
        #expect(again.status == .ok)
    }

    @Test(
        arguments: [
            (59, 60, "work_seconds"), (60, 59, "rest_seconds"), (86_341, 60, "work_seconds"),
            (86_340, 61, "rest_seconds"), (43_200, 43_201, "rest_seconds"), (-1, 60, "work_seconds"),
            (.max, .max, "work_seconds"), (60, .max, "rest_seconds"),
        ] as [(Int, Int, String)])
    func `work and rest last at least a minute each and at most a day together`(work: Int, rest: Int, field: String)
        async throws
    {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let plan: JSON = ["name": "a", "work_seconds": .integer(work), "rest_seconds": .integer(rest)]
        let saved = await me.put("/me/plan", plan)
        #expect(saved.status == .unprocessable)
        #expect(saved.code == "invalid_plan")
        #expect(saved.json["field"].string == field)
        let started = await me.post("/me/timer/start", ["plan": plan])
        #expect(started.code == "invalid_plan")
        #expect(started.json["field"].string == "plan.\(field)")
        #expect(await me.get("/me/timer").json["state"] == "idle")
    }

    @Test func `what only the database finds too short is refused, too`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.sql(
            "CREATE OR REPLACE FUNCTION shortest_length() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 120")
        let plan: JSON = ["name": "a", "work_seconds": 119, "rest_seconds": 120]
        #expect(await me.put("/me/plan", plan).code == "invalid_plan")
        #expect(await me.post("/me/timer/start", ["plan": plan]).code == "invalid_plan")
        #expect(await me.get("/me/timer").json["state"] == "idle")
    }

    @Test func `half a day of each is a plan`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        let plan: JSON = ["name": "a", "work_seconds": 43_200, "rest_seconds": 43_200]
        #expect(await me.put("/me/plan", plan).status == .ok)
    }
}
