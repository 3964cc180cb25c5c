import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct ProjectTests {
    /// A task of the project under test.
    struct Part: Sendable {
        let estimate: Int?
        let done: Bool

        init(_ estimate: Int?, done: Bool = false) { (self.estimate, self.done) = (estimate, done) }
    }

    @Test(
        arguments: [
            ([], 0, nil), ([Part(nil)], 0, 0), ([Part(nil, done: true), Part(nil), Part(nil)], 0, 0.3333),
            ([Part(3600, done: true), Part(7200)], 10_800, 0.3333),
            ([Part(3600, done: true), Part(7200, done: true)], 10_800, 1),
            // What has no estimate weighs like the others on average, here 3600: 1 of 4 hours.
            ([Part(1800, done: true), Part(5400), Part(nil)], 7200, 0.1666),
            ([Part(1800), Part(5400), Part(nil, done: true)], 7200, 0.3333),
            ([Part(3600, done: true), Part(nil)], 3600, 0.5),
        ] as [([Part], Int, Double?)])
    func `progress is the done tasks' share by estimate`(parts: [Part], estimate: Int, progress: Double?) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let id = try await me.made("/me/projects", ["name": "Exam"])
        for part in parts {
            let body: JSON = [
                "title": "x", "project_ids": [.string(id)],
                "estimate_seconds": part.estimate.map { .integer($0) } ?? nil,
            ]
            let task = try await me.made("/me/tasks", body)
            if part.done { _ = await me.patch("/me/tasks/\(task)", ["done": true]) }
        }
        let project = await me.get("/me/projects/\(id)").json
        #expect(project["estimate_seconds"].int == estimate)
        #expect(project["task_count"].int == parts.count)
        #expect(project["done_count"].int == parts.count { $0.done })
        #expect(project.names.contains("progress"))
        switch project["progress"] {
        case .null: #expect(progress == nil)
        case .integer(let whole): #expect(progress == Double(whole))
        case .number(let number): #expect(progress == number)
        default: Issue.record("\(project["progress"]) is no progress")
        }
    }

    @Test func `a task in two projects counts in both`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let exam = try await me.made("/me/projects", ["name": "Exam"])
        let book = try await me.made("/me/projects", ["name": "Book"])
        let both = try await me.made("/me/tasks", ["title": "Both", "project_ids": [.string(exam), .string(book)]])
        let one = try await me.made("/me/tasks", ["title": "One", "project_ids": [.string(exam)]])
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["task_id": .string(both)])
        _ = await me.log("2026-11-21T06:00:00Z", "2026-11-21T06:10:00Z", ["task_id": .string(one)])
        let items = await me.get("/me/projects").json["items"].array ?? []
        let actual = Dictionary(uniqueKeysWithValues: items.map { ($0["name"].string, $0["actual_seconds"].int) })
        #expect(actual == ["Exam": 4200, "Book": 3600])
    }

    @Test func `a task archived undone leaves the project's plan, its time stays; a done one keeps counting`()
        async throws
    {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let exam = try await me.made("/me/projects", ["name": "Exam"])
        var tasks: [String] = []
        for title in ["done", "dropped", "open"] {
            let body: JSON = ["title": .string(title), "estimate_seconds": 3600, "project_ids": [.string(exam)]]
            tasks.append(try await me.made("/me/tasks", body))
        }
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["task_id": .string(tasks[1])])
        _ = await me.patch("/me/tasks/\(tasks[0])", ["done": true, "archived": true])
        _ = await me.patch("/me/tasks/\(tasks[1])", ["archived": true])
        let project = await me.get("/me/projects/\(exam)").json
        #expect(project["estimate_seconds"] == 7200)
        #expect(project["progress"] == 0.5)
        #expect(project["actual_seconds"] == 3600)
    }

    @Test func `a project with time on a task is archived, one without goes and its tasks stay`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let exam = try await me.made("/me/projects", ["name": "Exam"])
        let book = try await me.made("/me/projects", ["name": "Book"])
        let studied = try await me.made("/me/tasks", ["title": "Studied", "project_ids": [.string(exam)]])
        _ = try await me.made("/me/tasks", ["title": "Open", "project_ids": [.string(book)]])
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["task_id": .string(studied)])
        #expect(await me.delete("/me/projects/\(exam)").json["archived"] == true)
        #expect(await me.delete("/me/projects/\(book)").status == .noContent)
        let tasks = await me.get("/me/tasks").json["items"].array ?? []
        #expect(Set(tasks.map { $0["title"].string }) == ["Studied", "Open"])
        #expect(Set(tasks.map { $0["project_ids"] }) == [[.string(exam)], []])
        #expect(await me.list("/me/projects?archived=true", "name") == ["Exam"])
    }
}
