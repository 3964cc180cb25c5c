import Foundation
import HTTP
import Postgres
import Study
import TestSupport
import Testing
import Time

@Suite(.database) struct ImportTests {
    /// A file of Toggl with one row for each `date start end`, of one project.
    private func toggl(_ rows: String..., project: String = "Math") -> String {
        ImportFileTests.toggl + "\r\n"
            + rows.map { row in
                let parts = row.split(separator: " ")
                let end = parts.count == 4 ? parts[3] : parts[0]
                return "Dodam,,,\(project),,note,No,\(parts[0]),\(parts[1]),\(end),\(parts[2]),,,\r\n"
            }.joined()
    }

    private func send(_ file: String, _ me: Person, _ query: String = "") async -> Answer {
        await me.post("/me/imports\(query)", text: file, headers: ["Content-Type": "text/csv; charset=utf-8"])
    }

    private func days() async throws -> [String: Int] {
        let rows = try await TestDatabase.current.database.read("SELECT day, study_seconds FROM study_days")
        return Dictionary(uniqueKeysWithValues: try rows.decode(Day.self, Int.self).map { ("\($0)", $1) })
    }

    @Test func `rows are recorded on their days by the user's clock`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await send(toggl("2026-03-02 04:00:00 06:00:00", "2026-03-02 23:30:00 00:30:00 2026-03-03"), me)
        #expect(answer.status == .ok)
        #expect(answer.json["format"] == "toggl")
        #expect(answer.json["dry_run"] == false)
        #expect(answer.json["rows"] == 2)
        #expect(answer.json["recorded"] == 2)
        #expect(answer.json["already_recorded"] == 0)
        #expect(answer.json["refused_total"] == 0)
        #expect(answer.json["seconds"] == 10_800)
        #expect(answer.json["subjects_created"] == ["Math"])
        #expect(try await days() == ["2026-03-01": 3600, "2026-03-02": 7200])
        let session = await me.get("/me/sessions?from=2026-03-02").json["items"][0]
        #expect(session["source"] == "import")
        #expect(session["note"] == "note")
        #expect(session["started_at"] == "2026-03-02T14:30:00Z")
    }

    @Test func `a dry run says the same and changes nothing`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let file = toggl("2026-03-02 09:00:00 10:00:00", "2026-03-02 09:30:00 11:00:00", "2026-03-02 12:00:00 12:00:00")
        let dry = await send(file, me, "?dry_run=true").json
        #expect(try await days() == [:])
        let left = try await TestDatabase.current.database.read(
            "SELECT (SELECT count(*) FROM study_sessions) + (SELECT count(*) FROM subjects)")
        #expect(try left[0].decode(Int.self) == 0)
        let real = await send(file, me).json
        #expect(dry["dry_run"] == true)
        for member in [
            "rows", "recorded", "already_recorded", "refused", "refused_total", "seconds", "subjects_created",
        ] {
            #expect(dry[member] == real[member], "\(member)")
        }
        #expect(real["recorded"] == 1)
        #expect(real["refused"].array?.map { $0["code"].string } == ["overlapping_interval", "empty_interval"])
    }

    @Test func `a dry run under an idempotency key changes nothing either`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let headers: Headers = ["Content-Type": "text/csv", "Idempotency-Key": UUID().uuidString]
        let file = toggl("2026-03-02 09:00:00 10:00:00")
        let first = await me.post("/me/imports?dry_run=true", text: file, headers: headers)
        #expect(first.json["recorded"] == 1)
        #expect(try await days() == [:])
        #expect(await me.post("/me/imports?dry_run=true", text: file, headers: headers).json == first.json)
    }

    @Test func `the same file twice records once, and again once it was taken back`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let file = toggl("2026-03-02 09:00:00 10:00:00", "2026-03-03 09:00:00 10:00:00")
        _ = await send(file, me)
        let second = await send(file, me).json
        #expect(second["recorded"] == 0)
        #expect(second["already_recorded"] == 2)
        #expect(second["seconds"] == 0)
        #expect(second["subjects_created"] == [])
        for _ in 1...2 {
            let session = await me.get("/me/sessions?from=2026-03-02").json["items"][0]["id"].string ?? "-"
            #expect(await me.delete("/me/sessions/\(session)").status == .noContent)
            let third = await send(file, me).json
            #expect(third["recorded"] == 1)
            #expect(third["already_recorded"] == 1)
        }
        #expect(try await days() == ["2026-03-02": 3600, "2026-03-03": 3600])
    }

    @Test func `every rule of study refuses by its own code, line and column`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z")
        let answer = await send(
            toggl(
                "2026-03-02 09:00:00 21:00:01", "2026-03-02 09:00:00 09:00:00", "2026-03-02 09:00:00 08:00:00",
                "2026-11-21 20:00:00 21:30:00", "2026-11-22 20:00:00 21:30:00", "2026-11-21 14:30:00 15:30:00",
                "2026-03-02 09:00:00 21:00:00"), me
        ).json
        let refused = answer["refused"].array ?? []
        #expect(
            refused.map { "\($0["line"].int ?? 0) \($0["code"].string ?? "") \($0["field"].string ?? "")" } == [
                "2 too_long End time", "3 empty_interval End time", "4 empty_interval End time",
                "5 in_the_future End time", "6 in_the_future End time", "7 overlapping_interval Start time",
            ])
        #expect(refused.last?["detail"] == "This overlaps 2026-11-21 14:00 – 15:00.")
        #expect(answer["recorded"] == 1)
        #expect(answer["refused_total"] == 6)
    }

    @Test func `a note that is too long and an unknown zone are refused`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let row = "Dodam,,,,,\(String(repeating: "ㄱ", count: 2001)),No,2026-03-02,09:00,2026-03-02,10:00,,,"
        let answer = await send(ImportFileTests.toggl + "\n" + row, me)
        #expect(answer.json["refused"][0]["code"] == "invalid_note")
        #expect(answer.json["refused"][0]["field"] == "Description")
        let unknown = await send(toggl("2026-03-02 09:00:00 10:00:00"), me, "?time_zone=Mars/Olympus")
        #expect(unknown.status == .unprocessable)
        #expect(unknown.code == "unknown_time_zone")
        let own =
            "session_id,started_at,ended_at,time_zone,day_starts_at\n"
            + "\(ID()),2026-03-02T00:00:00Z,2026-03-02T01:00:00Z,FOO5,05:00"
        #expect(await send(own, me).json["refused"][0]["code"] == "unknown_time_zone")
    }

    @Test func `local times are those of the zone that is named`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        _ = await send(toggl("2026-07-01 09:00:00 10:00:00"), me, "?time_zone=America/New_York")
        let session = await me.get("/me/sessions?from=2026-07-01").json["items"][0]
        #expect(session["started_at"] == "2026-07-01T13:00:00Z")
    }

    @Test func `where clocks change, skipped times are refused and doubled ones are the first`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z", timeZone: "America/New_York")
        let skipped = await send(
            toggl("2026-03-08 02:30:00 03:30:00", "2026-03-08 01:30:00 02:15:00", "2026-03-08 01:00:00 03:00:00"), me
        ).json
        #expect(
            skipped["refused"].array?.map { "\($0["code"].string ?? "") \($0["field"].string ?? "")" } == [
                "no_such_local_time Start time", "no_such_local_time End time",
            ])
        #expect(skipped["seconds"] == 3600)
        // 01:00 to 02:00 on 1 November comes twice.
        let rows = [
            "2025-11-02,00:30:00,2025-11-02,01:15:00,", "2025-11-02,01:20:00,2025-11-02,01:10:00,",
            "2024-11-03,00:30:00,2024-11-03,01:30:00,2:00:00", "2023-11-05,01:30:00,2023-11-05,02:30:00,1:00:00",
        ].map { ",,,,,,,\($0),\n" }
        let doubled = await send(ImportFileTests.toggl + "\n" + rows.joined(), me).json
        #expect(doubled["refused_total"] == 0)
        let intervals = try await TestDatabase.current.database.read(
            "SELECT started_at, ended_at FROM study_intervals WHERE started_at < '2026-01-01' ORDER BY started_at")
        let stretches = try intervals.decode(Instant.self, Instant.self).map { "\($0) \($1)" }
        #expect(
            stretches == [
                "2023-11-05T06:30:00Z 2023-11-05T07:30:00Z", "2024-11-03T04:30:00Z 2024-11-03T06:30:00Z",
                "2025-11-02T04:30:00Z 2025-11-02T05:15:00Z", "2025-11-02T05:20:00Z 2025-11-02T06:10:00Z",
            ])
    }

    @Test func `a project is a subject by its name, an archived one too`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let database = TestDatabase.current.database
        try await database.write("SELECT add_label(\(me.uid), 'subject', gen_random_uuid(), 'Math', 'plum')")
        let first = await send(toggl("2026-03-02 09:00:00 10:00:00"), me).json
        #expect(first["subjects_created"] == [])
        try await database.write("UPDATE subjects SET archived = true")
        #expect(await send(toggl("2026-03-03 09:00:00 10:00:00"), me).json["subjects_created"] == [])
        let other = await send(
            toggl("2026-03-04 09:00:00 10:00:00", "2026-03-04 11:00:00 12:00:00", project: "Art"), me)
        #expect(other.json["subjects_created"] == ["Art"])
        let rows = try await database.read(
            """
            SELECT s.name, count(*) FROM study_sessions t JOIN subjects s ON s.uid = t.uid AND s.id = t.subject_id
            GROUP BY 1 ORDER BY 1
            """)
        #expect(try rows.decode(String.self, Int.self).map { "\($0) \($1)" } == ["Art 2", "Math 2"])
    }

    @Test func `no more subjects are made than one may have`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let rows = (0..<510).map { n in
            ",,,Subject \(n),,,,2026-03-\(n % 28 + 1 < 10 ? "0" : "")\(n % 28 + 1),\(n / 28):00,,,0:30:00,,\n"
        }
        let answer = await send(ImportFileTests.toggl + "\n" + rows.joined(), me).json
        #expect(answer["recorded"] == 500)
        #expect(answer["refused_total"] == 10)
        #expect(answer["refused"][0]["code"] == "too_many_subjects")
    }

    @Test func `imported time is on no board`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let database = TestDatabase.current.database
        try await database.write("SELECT set_global_board(\(me.uid), true)")
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z")
        let totals: Query = "SELECT coalesce(sum(seconds), 0) FROM day_totals"
        let before = try await database.read(totals)[0].decode(Int.self)
        #expect(before == 3600)
        let answer = await send(toggl("2026-11-21 09:00:00 10:00:00", "2026-10-05 09:00:00 10:00:00"), me)
        #expect(answer.json["recorded"] == 2)
        #expect(try await database.read(totals)[0].decode(Int.self) == before)
    }

    @Test func `the stretch of a forgotten timer stays taken`() async throws {
        let me = try await student(at: "2026-11-20T00:00:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(20 * 3600)
        let answer = await send(toggl("2026-11-20 10:00:00 11:00:00"), me).json
        #expect(answer["refused"][0]["code"] == "unconfirmed_timer")
    }

    @Test(arguments: [
        ("format=csv", "invalid_format", "format"), ("date_format=D", "invalid_date_format", "date_format"),
        ("dry_run=yes", "invalid_dry_run", "dry_run"), ("format=anthill", "unknown_columns", nil),
    ])
    func `a question that cannot be understood names its part`(query: String, code: String, field: String?) async throws
    {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await send(toggl("2026-03-02 09:00:00 10:00:00"), me, "?\(query)")
        #expect(answer.status == .unprocessable)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
    }

    @Test(arguments: ["application/json", "text/plain", "text/csv; charset=euc-kr", ""])
    func `what is not CSV in UTF-8 is 415`(type: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.post("/me/imports", text: "a,b", headers: ["Content-Type": type])
        #expect(answer.status == .unsupportedMediaType)
        #expect(answer.code == "not_csv")
    }

    @Test func `only the first 500 refusals are listed`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let row = ",,,,,,,2026-03-02,09:00,2026-03-02,09:00,,,\n"
        let answer = await send(ImportFileTests.toggl + "\n" + String(repeating: row, count: 600), me).json
        #expect(answer["refused"].array?.count == 500)
        #expect(answer["refused_total"] == 600)
        #expect(answer["rows"] == 600)
    }
}
