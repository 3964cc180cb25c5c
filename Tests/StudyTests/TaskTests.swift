import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct TaskTests {
    @Test func `a task is in several projects, and in exactly those it is put into`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let exam = try await me.made("/me/projects", ["name": "Exam"])
        let book = try await me.made("/me/projects", ["name": "Book"])
        let made = await me.post(
            "/me/tasks",
            [
                "title": "Chapter 3", "estimate_seconds": 5400,
                "project_ids": [.string(exam), .string(book), .string(exam)],
            ])
        #expect(made.status == .created)
        #expect(
            made.json.names == [
                "id", "title", "project_ids", "estimate_seconds", "actual_seconds", "done", "archived", "created_at",
            ])
        #expect(Set(made.json["project_ids"].array ?? []) == [.string(exam), .string(book)])
        #expect(made.json["actual_seconds"] == 0)
        let path = "/me/tasks/\(made.json["id"].string ?? "-")"
        #expect(await me.get(path).json == made.json)
        #expect(await me.list("/me/tasks?project=\(exam)", "title") == ["Chapter 3"])
        #expect(await me.patch(path, ["project_ids": [.string(book)]]).json["project_ids"] == [.string(book)])
        #expect(await me.list("/me/tasks?project=\(exam)", "title") == [])
        #expect(await me.patch(path, ["done": true]).json["project_ids"] == [.string(book)])
        #expect(await me.patch(path, ["project_ids": []]).json["project_ids"] == [])
    }

    @Test func `a project that is not one's own is unknown, and nothing happens`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let other = try await Person("Haneul", study())
        let theirs = try await other.made("/me/projects", ["name": "Theirs"])
        let mine = try await me.made("/me/tasks", ["title": "Mine"])
        for answer in [
            await me.post("/me/tasks", ["title": "Read", "project_ids": [.string(theirs)]]),
            await me.patch("/me/tasks/\(mine)", ["title": "Changed", "project_ids": [.string(theirs)]]),
            await me.patch("/me/tasks/\(mine)", ["title": "Changed", "project_ids": [.string(UUID().uuidString)]]),
        ] {
            #expect(answer.status == .unprocessable)
            #expect(answer.code == "unknown_project")
            #expect(answer.json["field"] == "project_ids")
        }
        #expect(await me.list("/me/tasks", "title") == ["Mine"])
        #expect(await me.get("/me/tasks?project=\(theirs)").code == "unknown_project")
        #expect(await me.get("/me/tasks?project=x").json["field"] == "project")
    }

    @Test(
        arguments: [
            (["title": ""], "invalid_title", "title"),
            (["title": .string(String(repeating: "ㄱ", count: 201))], "invalid_title", "title"),
            (["title": "Read", "estimate_seconds": 59], "invalid_estimate", "estimate_seconds"),
            (["title": "Read", "estimate_seconds": 3_600_001], "invalid_estimate", "estimate_seconds"),
            (["title": "Read", "estimate_seconds": -1], "invalid_estimate", "estimate_seconds"),
            (["title": "Read", "estimate_seconds": 1.5], "wrong_type", "estimate_seconds"),
            (["title": "Read", "project_ids": ["x"]], "wrong_type", "project_ids"),
            (
                ["title": "Read", "project_ids": .array((0..<21).map { _ in .string(UUID().uuidString) })],
                "too_many_projects", "project_ids"
            ), (["title": "Read", "done": true], "unknown_field", "done"),
        ] as [(JSON, String, String)])
    func `a task against a rule names the rule and the field`(body: JSON, code: String, field: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.post("/me/tasks", body)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
        #expect(await me.get("/me/tasks").json["items"] == [])
    }

    @Test func `an estimate that is null is taken away, one left out stays`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let path = "/me/tasks/\(try await me.made("/me/tasks", ["title": "Read", "estimate_seconds": 3600]))"
        #expect(await me.patch(path, ["title": "Read on"]).json["estimate_seconds"] == 3600)
        #expect(await me.patch(path, ["estimate_seconds": 60]).json["estimate_seconds"] == 60)
        let without = await me.patch(path, ["estimate_seconds": nil]).json
        #expect(without.names.contains("estimate_seconds"))
        #expect(without["estimate_seconds"].isNull)
    }

    @Test func `actual time is what was recorded and what the timer adds`() async throws {
        let me = try await student(at: "2026-11-21T09:00:00Z")
        let task = try await me.made("/me/tasks", ["title": "Read"])
        func actual() async -> Int? { await me.get("/me/tasks/\(task)").json["actual_seconds"].int }
        let first = await me.log("2026-11-21T03:00:00Z", "2026-11-21T04:00:00Z", ["task_id": .string(task)]).json
        _ = await me.log("2026-11-21T04:00:00Z", "2026-11-21T04:30:00Z", ["task_id": .string(task)])
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z")
        #expect(await actual() == 5400)
        try await me.startTimer(task: task)
        try await TestDatabase.current.advance(100)
        #expect(await actual() == 5500)
        _ = await me.post("/me/timer/pause")
        try await TestDatabase.current.advance(100)
        #expect(await actual() == 5500)
        _ = await me.post("/me/timer/resume")
        try await TestDatabase.current.advance(100)
        _ = await me.post("/me/timer/stop")
        #expect(await actual() == 5600)
        _ = await me.delete("/me/sessions/\(first["id"].string ?? "-")")
        #expect(await actual() == 2000)
    }

    @Test func `a forgotten timer adds nothing to its task until it is answered`() async throws {
        let me = try await student(at: "2026-11-21T00:00:00Z")
        let task = try await me.made("/me/tasks", ["title": "Read"])
        try await me.startTimer(task: task)
        try await TestDatabase.current.advance(12 * 3600)
        #expect(await me.get("/me/tasks/\(task)").json["actual_seconds"] == 0)
        #expect(await me.get("/me/totals?by=task").json["seconds"] == 0)
        let stopped = await me.post("/me/timer/stop").json["session"]
        #expect(await me.get("/me/tasks/\(task)").json["actual_seconds"] == 0)
        let end = "/me/sessions/\(stopped["id"].string ?? "-")/end"
        #expect(await me.put(end, ["ended_at": "2026-11-21T01:00:00Z"]).status == .ok)
        #expect(await me.get("/me/tasks/\(task)").json["actual_seconds"] == 3600)
    }

    @Test func `a task with time is archived and leaves no project; without, it is gone from them`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let exam = try await me.made("/me/projects", ["name": "Exam"])
        let studied = try await me.made("/me/tasks", ["title": "Studied", "project_ids": [.string(exam)]])
        let never = try await me.made("/me/tasks", ["title": "Never", "project_ids": [.string(exam)]])
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["task_id": .string(studied)])
        #expect(await me.delete("/me/tasks/\(studied)").json["archived"] == true)
        #expect(await me.delete("/me/tasks/\(never)").status == .noContent)
        #expect(await me.list("/me/tasks", "title") == [])
        #expect(await me.list("/me/tasks?archived=all&project=\(exam)", "title") == ["Studied"])
    }

    @Test func `tasks are listed in the order they were made, page after page`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        for n in 1...5 {
            _ = try await me.made("/me/tasks", ["title": "\(n)"])
            try await TestDatabase.current.advance(1)
        }
        #expect(await me.list("/me/tasks?limit=2", "title") == ["1", "2", "3", "4", "5"])
    }
}
