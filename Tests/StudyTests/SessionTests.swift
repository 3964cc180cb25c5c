import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct SessionTests {
    @Test func `a session by hand is recorded whole`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let logged = await me.post(
            "/me/sessions",
            [
                "intervals": [
                    ["started_at": "2026-11-21T08:00:00Z", "ended_at": "2026-11-21T09:00:00Z"],
                    ["started_at": "2026-11-21T18:30:00+09:00", "ended_at": "2026-11-21T10:00:00Z"],
                ], "note": "calculus",
            ])
        #expect(logged.status == .created)
        #expect(logged.json["seconds"] == 5400)
        #expect(logged.json["source"] == "manual")
        #expect(logged.json["note"] == "calculus")
        #expect(logged.json["started_at"] == "2026-11-21T08:00:00Z")
        #expect(logged.json["ended_at"] == "2026-11-21T10:00:00Z")
        let location = try #require(logged.headers["Location"])
        #expect(await me.get(String(location.dropFirst("/api/v1".count))).json == logged.json)
    }

    @Test func `under a client's id sending twice records once`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let body: JSON = [
            "id": .string(UUID().uuidString.lowercased()), "started_at": "2026-11-21T08:00:00Z",
            "ended_at": "2026-11-21T09:00:00Z",
        ]
        let first = await me.post("/me/sessions", body)
        let second = await me.post("/me/sessions", body)
        #expect(first.json["id"] == body["id"])
        #expect(second.status == .created)
        #expect(second.json == first.json)
        #expect(await me.get("/me/today").json["study_seconds"] == 3600)
    }

    @Test func `a session that was taken back is not recorded again under its id`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let id = UUID().uuidString.lowercased()
        let body: JSON = [
            "id": .string(id), "started_at": "2026-11-21T08:00:00Z", "ended_at": "2026-11-21T09:00:00Z",
        ]
        _ = await me.post("/me/sessions", body)
        #expect(await me.delete("/me/sessions/\(id)").status == .noContent)
        #expect(await me.post("/me/sessions", body).code == "session_retracted")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let startedAt: String
        let endedAt: String
        let status: Status
        let code: String
        let field: String?
        var testDescription: String { "\(code): \(startedAt) – \(endedAt)" }

        init(_ startedAt: String, _ endedAt: String, _ status: Status, _ code: String, _ field: String?) {
            (self.startedAt, self.endedAt, self.status, self.code, self.field) = (
                startedAt, endedAt, status, code, field
            )
        }
    }

    @Test(arguments: [
        Refusal("2026-11-21T11:00:00Z", "2026-11-21T12:01:01Z", .unprocessable, "in_the_future", "ended_at"),
        Refusal("2026-11-21T13:00:00Z", "2026-11-21T14:00:00Z", .unprocessable, "in_the_future", "ended_at"),
        Refusal("2026-11-19T11:59:59Z", "2026-11-19T13:00:00Z", .unprocessable, "too_old", "started_at"),
        Refusal("2026-11-20T23:00:00Z", "2026-11-21T11:00:01Z", .unprocessable, "too_long", "ended_at"),
        Refusal("2026-11-21T09:00:00Z", "2026-11-21T09:00:00Z", .unprocessable, "empty_interval", "ended_at"),
        Refusal("2026-11-21T09:00:00Z", "2026-11-21T08:00:00Z", .unprocessable, "empty_interval", "ended_at"),
        Refusal("2026-11-21 09:00", "2026-11-21T10:00:00Z", .unprocessable, "invalid_time", "started_at"),
        Refusal("0001-01-01T00:00:00+14:00", "0001-01-01T01:00:00Z", .unprocessable, "invalid_time", "started_at"),
        Refusal("2026-11-21T09:00:00Z", "9999-12-31T23:59:59-14:00", .unprocessable, "in_the_future", "ended_at"),
        Refusal("2026-11-21T09:00:00Z", "2026-11-21T10:00:00.5Z", .unprocessable, "invalid_time", "ended_at"),
    ])
    func `a stretch against a rule names the rule and the field`(refusal: Refusal) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.log(refusal.startedAt, refusal.endedAt)
        #expect(answer.status == refusal.status)
        #expect(answer.code == refusal.code)
        #expect(answer.json["field"].string == refusal.field)
        #expect(await me.get("/me/today").json["study_seconds"] == 0)
    }

    @Test(arguments: [
        ("2026-11-19T12:00:00Z", "2026-11-19T13:00:00Z", 3600),
        ("2026-11-20T23:00:00Z", "2026-11-21T11:00:00Z", 43_200),
        ("2026-11-21T11:59:59Z", "2026-11-21T12:00:00Z", 1), ("2026-11-21T11:00:00Z", "2026-11-21T12:01:00Z", 3600),
    ])
    func `at the very edge of a rule a stretch is recorded, the slack cut to now`(
        startedAt: String, endedAt: String, seconds: Int
    ) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.log(startedAt, endedAt)
        #expect(answer.status == .created)
        #expect(answer.json["seconds"].int == seconds)
    }

    @Test(
        arguments: [
            (["intervals": []], "invalid_intervals", "intervals"),
            (["intervals": [], "started_at": "2026-11-21T05:00:00Z"], "both_forms", "started_at"),
            (["started_at": "2026-11-21T05:00:00Z"], "missing_field", "ended_at"),
            (["intervals": [["started_at": "2026-11-21T05:00:00Z"]]], "missing_field", "intervals[0].ended_at"),
            (["intervals": [["started_at": "x", "ended_at": "y"]]], "invalid_time", "intervals[0].started_at"),
            (["colour": "red"], "unknown_field", "colour"),
            (
                ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:00:00Z", "source": "timer"],
                "invalid_source", "source"
            ),
        ] as [(JSON, String, String)])
    func `what cannot be read names its field`(body: JSON, code: String, field: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.post("/me/sessions", body)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
    }

    @Test func `what is null counts as left out`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let times: JSON = ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:00:00Z"]
        let list: JSON = ["intervals": [times], "started_at": nil, "ended_at": nil, "id": nil, "note": nil]
        let first = await me.post("/me/sessions", list)
        #expect(first.status == .created)
        #expect(first.json["note"].isNull)
        let single: JSON = [
            "intervals": nil, "started_at": "2026-11-21T06:00:00Z", "ended_at": "2026-11-21T07:00:00Z", "source": nil,
        ]
        #expect(await me.post("/me/sessions", single).json["source"] == "manual")
    }

    @Test func `a note has at most 2000 characters`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        func log(_ note: String) async -> Answer {
            await me.post(
                "/me/sessions",
                ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:00:00Z", "note": .string(note)])
        }
        #expect(await log(String(repeating: "ㄱ", count: 2001)).code == "invalid_note")
        #expect(await log(String(repeating: "ㄱ", count: 2000)).status == .created)
    }

    @Test func `a session carries the plan it was timed by`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let id = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z").json["id"].string ?? "-"
        #expect(await me.get("/me/sessions/\(id)").json["plan"].isNull)
        try await TestDatabase.current.sql(
            "UPDATE study_sessions SET plan = '{\"name\": null, \"work_seconds\": 1500, \"rest_seconds\": 300}'")
        #expect(
            await me.get("/me/sessions/\(id)").json["plan"] == [
                "name": nil, "work_seconds": 1500, "rest_seconds": 300,
            ])
    }

    @Test func `an import may be old`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.post(
            "/me/sessions",
            ["started_at": "2020-01-01T05:00:00Z", "ended_at": "2020-01-01T06:00:00Z", "source": "import"])
        #expect(answer.status == .created)
        #expect(answer.json["source"] == "import")
        #expect(await me.get("/me/today").json["total_seconds"] == 3600)
    }

    @Test func `a session that was taken back is gone and its time is free`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let session = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z").json
        let path = "/me/sessions/\(session["id"].string ?? "-")"
        #expect(await me.delete(path).status == .noContent)
        #expect(await me.get(path).status == .notFound)
        #expect(await me.delete(path).status == .notFound)
        #expect(await me.get("/me/today").json["study_seconds"] == 0)
        #expect(await me.log("2026-11-21T05:30:00Z", "2026-11-21T06:00:00Z").status == .created)
    }

    @Test func `the session of a running timer is not taken back`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let id = await me.post("/me/timer/start").json["session"]["id"].string ?? "-"
        let answer = await me.delete("/me/sessions/\(id)")
        #expect(answer.status == .conflict)
        #expect(answer.code == "timer_still_running")
    }

    @Test func `another user's session is not there`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let other = try await Person("Haneul", study())
        let id = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z").json["id"].string ?? "-"
        #expect(await other.get("/me/sessions/\(id)").status == .notFound)
        #expect(await other.delete("/me/sessions/\(id)").status == .notFound)
        #expect(await other.put("/me/sessions/\(id)/end", ["ended_at": "2026-11-21T05:30:00Z"]).status == .notFound)
        #expect(await other.get("/me/sessions/no-uuid").status == .notFound)
    }

    @Test func `sessions are listed by study day, the newest first, page after page`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        // Seoul's 20 November ends at 20:00 UTC.
        _ = await me.log("2026-11-20T18:00:00Z", "2026-11-20T19:00:00Z")
        _ = await me.log("2026-11-20T19:30:00Z", "2026-11-20T20:30:00Z")
        _ = await me.log("2026-11-20T20:30:00Z", "2026-11-20T21:00:00Z")
        func starts(_ query: String) async -> [String?] {
            await me.get("/me/sessions?\(query)").json["items"].array?.map { $0["started_at"].string } ?? []
        }
        #expect(await starts("from=2026-11-20&to=2026-11-20") == ["2026-11-20T19:30:00Z", "2026-11-20T18:00:00Z"])
        #expect(await starts("from=2026-11-21&to=2026-11-21") == ["2026-11-20T20:30:00Z", "2026-11-20T19:30:00Z"])
        #expect(await starts("") == ["2026-11-20T20:30:00Z", "2026-11-20T19:30:00Z"])
        var seen: [String?] = []
        var next: String? = ""
        while let cursor = next {
            let page = await me.get(
                "/me/sessions?from=2026-11-20&to=2026-11-21&limit=1\(cursor.isEmpty ? "" : "&after=\(cursor)")")
            seen += page.json["items"].array?.map { $0["started_at"].string } ?? []
            next = page.json["next"].string
        }
        #expect(seen == ["2026-11-20T20:30:00Z", "2026-11-20T19:30:00Z", "2026-11-20T18:00:00Z"])
    }

    @Test(arguments: [
        ("from=yesterday&to=2026-11-21", "invalid_day", "from"), ("from=2026-11-21&to=2026-11-20", "invalid_day", "to"),
        ("from=2025-11-20&to=2026-11-21", "invalid_day", "to"),
        ("from=0000-01-01&to=0001-01-01", "invalid_day", "from"), ("limit=0", "invalid_limit", "limit"),
        ("limit=201", "invalid_limit", "limit"), ("after=%21", "invalid_cursor", "after"),
        ("after=eA", "invalid_cursor", "after"),
    ])
    func `a list that cannot be given says why`(query: String, code: String, field: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.get("/me/sessions?\(query)")
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
    }
}
