import Foundation
import HTTP
import Postgres
import Study
import TestSupport
import Testing

@Suite(.database) struct SubjectTests {
    @Test func `a subject is made, shown, changed and listed`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let made = await me.post("/me/subjects", ["name": "  수학 ", "colour": "sky"])
        #expect(made.status == .created)
        #expect(made.json.names == ["id", "name", "colour", "archived", "created_at"])
        #expect(made.json["name"] == "수학")
        #expect(made.json["colour"] == "sky")
        #expect(made.json["archived"] == false)
        let path = try #require(made.headers["Location"]).dropFirst("/api/v1".count)
        #expect(await me.get(String(path)).json == made.json)
        let changed = await me.patch(String(path), ["name": "미적분"])
        #expect(changed.json["name"] == "미적분")
        #expect(changed.json["colour"] == "sky")
        #expect(await me.patch(String(path), ["colour": "plum", "name": nil]).json["name"] == "미적분")
        #expect(await me.get("/me/subjects").json["items"][0]["colour"] == "plum")
        #expect(await me.patch(String(path), [:]).status == .ok)
    }

    @Test(
        arguments: [
            (["name": "", "colour": "leaf"], "invalid_name", "name"), (["name": "  "], "invalid_name", "name"),
            (["name": "a\u{202E}b"], "invalid_name", "name"), (["name": "two\nlines"], "invalid_name", "name"),
            (["name": .string(String(repeating: "ㄱ", count: 61))], "invalid_name", "name"),
            (["name": "Math", "colour": "red"], "invalid_colour", "colour"),
            (["name": "Math", "colour": ""], "invalid_colour", "colour"), ([:], "missing_field", "name"),
            (["name": "Math", "archived": true], "unknown_field", "archived"),
        ] as [(JSON, String, String)], ["/me/subjects", "/me/projects"])
    func `a name has 1 to 60 characters and a colour is one of eight`(
        refused: (body: JSON, code: String, field: String), path: String
    ) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.post(path, refused.body)
        #expect(answer.code == refused.code)
        #expect(answer.json["field"].string == refused.field)
        #expect(await me.get(path).json["items"] == [])
    }

    @Test func `the subject used last is listed first, page after page`() async throws {
        let me = try await student(at: "2026-11-21T09:00:00Z")
        var ids: [String] = []
        for name in ["one", "two", "three"] { ids.append(try await me.made("/me/subjects", ["name": .string(name)])) }
        try await TestDatabase.current.advance(60)
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["subject_id": .string(ids[1])])
        try await TestDatabase.current.advance(60)
        _ = await me.log("2026-11-21T03:00:00Z", "2026-11-21T04:00:00Z", ["subject_id": .string(ids[0])])
        #expect(await me.list("/me/subjects?limit=1", "name") == ["one", "two", "three"])
        #expect(await me.get("/me/subjects?after=eA").code == "invalid_cursor")
    }

    @Test func `what no time hangs on goes, the rest is archived`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let unused = try await me.made("/me/subjects", ["name": "Unused"])
        let used = try await me.made("/me/subjects", ["name": "Used"])
        let session = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["subject_id": .string(used)]).json
        #expect(await me.delete("/me/subjects/\(unused)").status == .noContent)
        #expect(await me.get("/me/subjects/\(unused)").status == .notFound)
        let archived = await me.delete("/me/subjects/\(used)")
        #expect(archived.status == .ok)
        #expect(archived.json["archived"] == true)
        #expect(await me.list("/me/subjects", "id") == [])
        #expect(await me.list("/me/subjects?archived=true", "id") == [used])
        #expect(await me.list("/me/subjects?archived=all", "id") == [used])
        #expect(await me.get("/me/sessions/\(session["id"].string ?? "-")").json["subject_id"].string == used)
        #expect(await me.patch("/me/subjects/\(used)", ["archived": false]).json["archived"] == false)
        #expect(await me.list("/me/subjects", "id") == [used])
    }

    @Test(arguments: ["subjects", "projects"])
    func `what is archived stays so until somebody says otherwise`(kind: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let id = try await me.made("/me/\(kind)", ["name": "Used"])
        let projects: JSON = kind == "projects" ? [.string(id)] : []
        let task = try await me.made("/me/tasks", ["title": "Read", "project_ids": projects])
        _ = await me.log(
            "2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z",
            ["subject_id": kind == "subjects" ? .string(id) : nil, "task_id": .string(task)])
        let archived = await me.delete("/me/\(kind)/\(id)").json
        #expect(archived["archived"] == true)
        let again = await me.delete("/me/\(kind)/\(id)")
        #expect(again.status == .ok)
        #expect(again.json == archived)
        let renamed = await me.patch("/me/\(kind)/\(id)", ["name": "Renamed"]).json
        #expect(renamed["name"] == "Renamed")
        #expect(renamed["archived"] == true)
        #expect(await me.patch("/me/\(kind)/\(id)", ["archived": nil]).json["archived"] == true)
        #expect(await me.list("/me/\(kind)", "id") == [])
    }

    @Test func `of two changes at once neither is lost`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let subject = "/me/subjects/\(try await me.made("/me/subjects", ["name": "Math"]))"
        let project = "/me/projects/\(try await me.made("/me/projects", ["name": "Exam"]))"
        let task = "/me/tasks/\(try await me.made("/me/tasks", ["title": "Read"]))"
        let session = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z").json["id"].string ?? "-"
        for round in 1...8 {
            let (name, at): (JSON, String) = (.string("\(round)"), "2026-11-21T05:0\(round):00Z")
            for (path, one, other) in [
                (subject, ["name": name], ["archived": .bool(round % 2 == 0)]),
                (project, ["name": name], ["archived": .bool(round % 2 == 0)]),
                (task, ["title": name], ["estimate_seconds": .integer(60 * round)]),
                ("/me/sessions/\(session)", ["note": name], ["started_at": .string(at)]),
            ] as [(String, [String: JSON], [String: JSON])] {
                async let first = me.patch(path, .object(one))
                async let second = me.patch(path, .object(other))
                #expect(await [first.status, second.status] == [.ok, .ok])
                let now = await me.get(path).json
                for (field, value) in one.merging(other, uniquingKeysWith: { $1 }) { #expect(now[field] == value) }
            }
        }
    }

    @Test func `with its only session taken back a subject can go`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let subject = try await me.made("/me/subjects", ["name": "Mistake"])
        let session = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["subject_id": .string(subject)])
            .json
        _ = await me.delete("/me/sessions/\(session["id"].string ?? "-")")
        #expect(await me.delete("/me/subjects/\(subject)").status == .noContent)
    }

    @Test func `a timer that runs keeps its subject`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let subject = try await me.made("/me/subjects", ["name": "Now"])
        try await me.startTimer(subject: subject)
        #expect(await me.delete("/me/subjects/\(subject)").json["archived"] == true)
    }

    @Test func `nobody sees or touches another's subjects, projects and tasks`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let other = try await Person("Haneul", study())
        for (list, body) in [
            ("/me/subjects", ["name": "Math"]), ("/me/projects", ["name": "Exam"]), ("/me/tasks", ["title": "Read"]),
        ] as [(String, JSON)] {
            let path = "\(list)/\(try await me.made(list, body))"
            #expect(await other.get(path).status == .notFound)
            #expect(await other.patch(path, ["archived": true]).status == .notFound)
            #expect(await other.delete(path).status == .notFound)
            #expect(await other.get(list).json["items"] == [])
            #expect(await me.get(path).json["archived"] == false)
            #expect(await me.get("\(list)/no-uuid").status == .notFound)
            #expect(await me.delete("\(list)/\(UUID().uuidString)").code == "not_found")
        }
    }

    @Test func `a session on a subject or task of another is refused by its field`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let other = try await Person("Haneul", study())
        let subject = try await other.made("/me/subjects", ["name": "Math"])
        let task = try await other.made("/me/tasks", ["title": "Read"])
        for (field, id, code) in [
            ("subject_id", subject, "unknown_subject"), ("task_id", task, "unknown_task"),
            ("subject_id", UUID().uuidString, "unknown_subject"), ("task_id", UUID().uuidString, "unknown_task"),
        ] {
            let answer = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", [field: .string(id)])
            #expect(answer.status == .unprocessable)
            #expect(answer.code == code)
            #expect(answer.json["field"].string == field)
        }
        #expect(await me.get("/me/today").json["study_seconds"] == 0)
    }

    @Test(arguments: ["subjects", "projects", "tasks"])
    func `at most 500 are not archived`(kind: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let column = kind == "tasks" ? "title" : "name"
        try await TestDatabase.current.sql(
            "INSERT INTO \(kind) (uid, \(column)) SELECT '\(me.id)', n::text FROM generate_series(1, 499) n")
        let last = try await me.made("/me/\(kind)", [column: "500"])
        let answer = await me.post("/me/\(kind)", [column: "501"])
        #expect(answer.status == .unprocessable)
        #expect(answer.code == "too_many_\(kind)")
        #expect(await me.patch("/me/\(kind)/\(last)", ["archived": true]).status == .ok)
        #expect(await me.post("/me/\(kind)", [column: "501"]).status == .created)
        #expect(await me.patch("/me/\(kind)/\(last)", ["archived": false]).code == "too_many_\(kind)")
        #expect(await me.get("/me/\(kind)?archived=true").json["items"].array?.count == 1)
    }

    @Test func `a list is of what is not archived unless it says otherwise`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        for list in ["/me/subjects", "/me/projects", "/me/tasks"] {
            let answer = await me.get("\(list)?archived=yes")
            #expect(answer.status == .unprocessable)
            #expect(answer.code == "invalid_archived")
        }
    }

    @Test func `deleting a user deletes their subjects, projects and tasks`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let subject = try await me.made("/me/subjects", ["name": "Math"])
        let project = try await me.made("/me/projects", ["name": "Exam"])
        let task = try await me.made("/me/tasks", ["title": "Read", "project_ids": [.string(project)]])
        _ = await me.log(
            "2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["subject_id": .string(subject), "task_id": .string(task)])
        try await TestDatabase.current.sql("DELETE FROM users WHERE uid = '\(me.id)'")
        let left = try await TestDatabase.current.database.read(
            "SELECT (SELECT count(*) FROM subjects) + (SELECT count(*) FROM tasks) + (SELECT count(*) FROM task_projects)"
        )
        #expect(try left[0].decode(Int.self) == 0)
    }
}
