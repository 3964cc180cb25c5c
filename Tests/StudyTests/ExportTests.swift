import HTTP
import Postgres
import Study
import TestSupport
import Testing
import Time

@Suite(.database) struct ExportTests {
    private var database: Database { TestDatabase.current.database }

    private func days() async throws -> [String: Int] {
        let rows = try await database.read("SELECT day, study_seconds FROM study_days WHERE study_seconds > 0")
        return Dictionary(uniqueKeysWithValues: try rows.decode(Day.self, Int.self).map { ("\($0)", $1) })
    }

    private func records(_ answer: Answer) throws -> [[String: String]] {
        let records = try CSV.records(answer.body)
        let names = try #require(records.first).fields
        return records.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(names, $0.fields)) }
    }

    /// Sessions of one to three intervals, under three study clocks one after another.
    private func history(of me: Person, sessions: Int = 60) async throws {
        var at = 1_700_000_000
        for (zone, start) in [("Asia/Seoul", "05:00"), ("America/New_York", "00:00"), ("Europe/London", "11:30")] {
            try await database.write("SELECT set_study_clock(\(me.uid), \(zone), \(start)::time)")
            for number in 0..<sessions / 3 {
                var (started, ended): ([Instant], [Instant]) = ([], [])
                for _ in 0..<Int.random(in: 1...3) {
                    at += Int.random(in: 0...20_000)
                    started.append(Instant(secondsSince1970: at))
                    at += Int.random(in: 1...43_200)
                    ended.append(Instant(secondsSince1970: at))
                }
                let note = ["", "=1+1", "a, \"b\"\r\nc", "수학 🐜"][number % 4]
                try await database.write(
                    """
                    SELECT record_session(\(me.uid), NULL, \(started), \(ended), 'import', NULL, NULL, \(note))
                    """)
            }
        }
    }

    @Test(arguments: ["intervals", "sessions"])
    func `exported, taken back and imported again, every day has the seconds that it had`(table: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        try await history(of: me)
        let file = await me.get("/me/\(table).csv")
        if table == "sessions" {
            // A session's row does not tell by which clock it was recorded: it takes the present one.
            try await database.write("UPDATE study_intervals SET time_zone = 'Europe/London', day_starts_at = '11:30'")
            try await database.write("DELETE FROM study_days")
            try await database.write(
                "SELECT count_interval(i, 1, s, anthill_clock()) FROM study_intervals i JOIN students s USING (uid)")
        }
        let before = try await days()
        try await database.write("SELECT retract_session(uid, session_id) FROM study_sessions")
        #expect(try await days() == [:])
        let answer = await me.post(
            "/me/imports", text: String(decoding: file.body, as: UTF8.self), headers: ["Content-Type": "text/csv"])
        #expect(answer.json["format"] == "anthill")
        #expect(answer.json["refused_total"] == 0)
        #expect(answer.json["recorded"] == answer.json["rows"])
        #expect(try await days() == before)
        let notes = try await database.read(
            "SELECT count(DISTINCT note) FROM study_sessions WHERE state = 'finished' AND note IN ('=1+1', E'a, \"b\"\\r\\nc')"
        )
        #expect(try notes[0].decode(Int.self) == 2)
    }

    @Test func `what another Anthill gave is recorded here under the same ids`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        try await history(of: me, sessions: 9)
        let file = String(decoding: await me.get("/me/intervals.csv").body, as: UTF8.self)
        let other = try await Person("Haneul", study())
        let headers: Headers = ["Content-Type": "text/csv"]
        #expect(await other.post("/me/imports", text: file, headers: headers).json["refused_total"] == 0)
        #expect(await me.post("/me/imports", text: file, headers: headers).json["recorded"] == 0)
        let rows = try await database.read(
            "SELECT count(*) FROM study_days a JOIN study_days b USING (day, study_seconds) WHERE a.uid < b.uid")
        #expect(
            try rows[0].decode(Int.self)
                == (try await database.read("SELECT count(*) / 2 FROM study_days")[0].decode(Int.self)))
    }

    @Test func `a table has a row for each, with names, states and no formula`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let subject = ID()
        try await database.write("SELECT add_label(\(me.uid), 'subject', \(subject), '=HYPERLINK(1)', 'plum')")
        _ = await me.post(
            "/me/sessions",
            [
                "intervals": [
                    ["started_at": "2026-11-21T08:00:00Z", "ended_at": "2026-11-21T09:00:00Z"],
                    ["started_at": "2026-11-21T09:30:00Z", "ended_at": "2026-11-21T10:00:00Z"],
                ], "note": "-1", "subject_id": .string(subject.description),
            ])
        _ = await me.post("/me/timer/start")
        let sessions = await me.get("/me/sessions.csv")
        #expect(sessions.headers["Content-Type"] == "text/csv; charset=utf-8")
        #expect(sessions.headers["Cache-Control"] == "no-store")
        #expect(sessions.headers["Content-Disposition"] == "attachment; filename=\"anthill-sessions-2026-11-21.csv\"")
        let rows = try records(sessions)
        #expect(rows.map { $0["state"] } == ["finished", "running"])
        try #require(rows.count == 2)
        #expect(rows[0]["seconds"] == "5400")
        #expect(rows[0]["subject"] == "'=HYPERLINK(1)")
        #expect(rows[0]["note"] == "'-1")
        #expect(rows[0]["started_at"] == "2026-11-21T08:00:00Z")
        #expect(rows[0]["ended_at"] == "2026-11-21T10:00:00Z")
        #expect(rows[1]["ended_at"] == "")
        let intervals = try records(await me.get("/me/intervals.csv"))
        #expect(intervals.map { $0["seconds"] } == ["3600", "1800", ""])
        #expect(intervals.map { $0["source"] } == ["manual", "manual", "timer"])
        #expect(Set(intervals.map { $0["day_starts_at"] }) == ["05:00"])

        try await TestDatabase.current.advance(13 * 3600)
        #expect(try records(await me.get("/me/sessions.csv")).map { $0["state"] } == ["finished", "unconfirmed"])
        let again = await me.post(
            "/me/imports", text: String(decoding: await me.get("/me/intervals.csv").body, as: UTF8.self),
            headers: ["Content-Type": "text/csv"])
        #expect(again.json["already_recorded"] == 2)
        #expect(again.json["refused"][0]["code"] == "not_finished")
    }

    @Test func `a range holds the sessions that begin on its study days`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        // Seoul's 20 November ends at 20:00 UTC.
        _ = await me.log("2026-11-20T18:00:00Z", "2026-11-20T19:00:00Z")
        _ = await me.log("2026-11-20T19:30:00Z", "2026-11-20T20:30:00Z")
        _ = await me.log("2026-11-20T20:30:00Z", "2026-11-20T21:00:00Z")
        func count(_ query: String) async throws -> Int { try records(await me.get("/me/sessions.csv?\(query)")).count }
        #expect(try await count("from=2026-11-21") == 1)
        #expect(try await count("to=2026-11-20") == 2)
        #expect(try await count("from=2026-11-20&to=2026-11-21") == 3)
        #expect(try await count("from=2026-11-22") == 0)
        #expect(await me.get("/me/sessions.json?to=2026-11-20").json["sessions"].array?.count == 2)
        for (query, field) in [("from=x", "from"), ("to=2026-02-30", "to"), ("from=2026-11-21&to=2026-11-20", "to")] {
            let answer = await me.get("/me/intervals.csv?\(query)")
            #expect(answer.code == "invalid_day")
            #expect(answer.json["field"].string == field)
        }
    }

    @Test func `many pages are one file, in order`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        try await database.write(
            """
            SELECT record_session(\(me.uid), NULL, ARRAY[t], ARRAY[t + interval '30 minutes'], 'import')
            FROM generate_series(timestamptz '2026-01-01', timestamptz '2026-03-01', interval '1 hour') t
            """)
        let starts = try records(await me.get("/me/sessions.csv")).map { $0["started_at"] ?? "" }
        #expect(starts.count == 1417)
        #expect(starts == starts.sorted())
        let everything = await me.get("/me/export").json
        #expect(everything["sessions"].array?.count == 1417)
    }

    @Test func `everything of mine is there, what was taken back too, and nothing of another`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let other = try await Person("Haneul", study())
        _ = await other.log("2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z")
        let id = await me.log("2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z").json["id"]
        _ = await me.delete("/me/sessions/\(id.string ?? "-")")
        _ = await me.post(
            "/me/imports",
            text: ImportFileTests.toggl + "\n,,,Math,,,,2026-03-02,09:00,2026-03-02,10:00,,,",
            headers: ["Content-Type": "text/csv"])
        let answer = await me.get("/me/export")
        #expect(answer.headers["Cache-Control"] == "no-store")
        let export = answer.json
        #expect(export["profile"]["uid"].string == me.id)
        #expect(export["profile"]["password_hash"].isNull)
        #expect(export["subjects"][0]["name"] == "Math")
        #expect(export["study_days"].array?.contains { $0["day"] == "2026-03-02" } == true)
        #expect(export["sign_ins"][0].names.isDisjoint(with: ["token_mac", "auth_epoch"]))
        let sessions = export["sessions"].array ?? []
        #expect(sessions.map { $0["state"].string } == ["finished", "discarded"])
        #expect(sessions.last?["intervals"][0]["retracted_at"] == "2026-11-21T12:00:00Z")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains(other.id))
    }
}
