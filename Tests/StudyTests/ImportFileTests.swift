import API
import Foundation
import Postgres
import Study
import TestSupport
import Testing

@Suite(.database) struct ImportFileTests {
    static let toggl = """
        User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags,Amount ()
        """
    static let clockify = """
        Project,Client,Description,Task,User,Group,Email,Tags,Billable,Start Date,Start Time,End Date,End Time,\
        Duration (h),Duration (decimal),Billable Rate (USD)
        """

    private func read(_ lines: String..., options: ImportOptions = ImportOptions()) throws -> ImportFile {
        try ImportFile(Array(lines.joined(separator: "\r\n").utf8), options)
    }

    @Test func `a row of Toggl is a session`() throws {
        let file = try read(
            Self.toggl,
            "Dodam,d@example.org,,수학,미분,\"극한, \"\"엡실론\"\"\nδ\",No,2026-03-02,09:00:00,2026-03-02,10:30:00,01:30:00,,")
        #expect(file.format == .toggl)
        #expect(file.refused.isEmpty)
        let session = try #require(file.sessions.first)
        #expect(session.localStart == "2026-03-02 09:00:00")
        #expect(session.localEnd == "2026-03-02 10:30:00")
        #expect(session.lasted == 5400)
        #expect(session.subject == "수학")
        #expect(session.task == "미분")
        #expect(session.note == "극한, \"엡실론\"\nδ")
        #expect(session.lines == [2])
    }

    @Test func `a row of Clockify is a session, in twelve hours and American dates too`() throws {
        let file = try read(
            Self.clockify,
            "Math,,Limits,,Dodam,,d@example.org,,No,03/14/2026,11:30:00 PM,03/15/2026,12:15:00 AM,00:45:00,0.75,0"
        )
        #expect(file.format == .clockify)
        let session = try #require(file.sessions.first)
        #expect(session.localStart == "2026-03-14 23:30:00")
        #expect(session.localEnd == "2026-03-15 00:15:00")
    }

    @Test func `the newer columns of Toggl are known, and a missing end follows from the duration`() throws {
        let file = try read(
            "Description,Member,Project,Start date,Start time,Stop date,Stop time,Duration",
            "x,Dodam,Math,2026-03-02,09:00,,,1:15:00", "y,Dodam,,2026-03-02,11:00,2026-03-02,11:30,")
        #expect(file.format == .toggl)
        #expect(file.sessions.map(\.localEnd) == [nil, "2026-03-02 11:30:00"])
        #expect(file.sessions.map(\.lasted) == [4500, nil])
    }

    @Test func `each row that cannot be read is refused by its line and column`() throws {
        let file = try read(
            Self.toggl, ",,,,,a,,2026-02-30,09:00,2026-03-02,10:00,,,", "",
            ",,,,,b,,2026-03-02,25:00,2026-03-02,10:00,,,",
            ",,,,,c,,2026-03-02,,2026-03-02,10:00,,,", ",,,,,\"d\nd\",,2026-03-02,09:00,2026-03-02,,,,",
            ",,,,,e,,2026-03-02,09:00,2026-03-02,10:00,,,,,", ",,,,,,,,,,,,,", "x",
            ",,,,,f,,2026-03-02,09:00,2026-03-02,9:30,,,")
        #expect(file.rows == 7)
        #expect(file.sessions.map(\.note) == ["f"])
        let refused = file.refused.map { "\($0.line) \($0.code) \($0.field ?? "-")" }
        #expect(
            refused == [
                "2 invalid_date Start date", "4 invalid_time Start time", "5 missing_field Start time",
                "6 missing_field End time", "8 too_many_fields -", "10 missing_field Start date",
            ])
    }

    @Test func `blank lines are no rows, however many, and neither is what has only commas`() throws {
        let row = ",,,,,a,,2026-03-02,09:00,2026-03-02,10:00,,,"
        let blank = String(repeating: "\n,,,", count: 2 * ImportFile.maxRows)
        let file = try read(Self.toggl + blank, row + blank)
        #expect(file.rows == 1)
        #expect(file.sessions[0].lines == [2 + 2 * ImportFile.maxRows])
    }

    @Test func `unbalanced quotes are found even behind the last row that may be imported`() throws {
        let rows = String(repeating: "\nx", count: ImportFile.maxRows + 5)
        let error = #expect(throws: Refusal.self) { try read(Self.toggl + rows + "\n\"") }
        #expect(error?.code == "malformed_csv")
        #expect(#expect(throws: Refusal.self) { try read(Self.toggl + rows) }?.code == "too_many_rows")
    }

    @Test func `intervals of one session are read as one, and refused as one`() throws {
        let (one, two) = (ID(), ID())
        let header = "interval_id,session_id,started_at,ended_at,state,time_zone,day_starts_at"
        let file = try read(
            header, ",\(one),2026-03-02T00:00:00Z,2026-03-02T01:00:00Z,finished,Asia/Seoul,05:00",
            ",\(two),2026-03-02T02:00:00Z,2026-03-02T03:00:00Z,finished,,",
            ",\(one),2026-03-02T04:00:00Z,2026-03-02T05:00:00Z,,,", ",\(two),2026-03-02T06:00:00Z,,running,,")
        #expect(file.format == .anthill)
        #expect(file.sessions.count == 1)
        #expect(file.sessions[0].id == one)
        #expect(file.sessions[0].lines == [2, 4])
        #expect(file.sessions[0].timeZones == ["Asia/Seoul", nil])
        #expect(file.refused.map { "\($0.line) \($0.code)" } == ["5 not_finished", "3 session_refused"])
    }

    @Test(arguments: [
        ("", "unknown_columns"), ("a,b,c\n1,2,3", "unknown_columns"),
        ("Start date,Duration\n2026-03-02,1", "unknown_columns"),
        ("a,\"b", "malformed_csv"), (toggl + "\n,,,,,,,03/04/2026,09:00,03/04/2026,10:00,,,", "ambiguous_dates"),
        (
            toggl + "\n,a@x,,,,,,2026-03-02,09:00,2026-03-02,10:00,,,\n,b@x,,,,,,2026-03-02,09:00,2026-03-02,10:00,,,",
            "several_people"
        ),
    ])
    func `a file that is none of these says so`(text: String, code: String) {
        let error = #expect(throws: Refusal.self) { try ImportFile(Array(text.utf8)) }
        #expect(error?.code == code)
    }

    // No argument of the test above: the names of its cases would fill the screen.
    @Test func `a file with too many rows says so`() {
        let text = "session_id,started_at,ended_at\n" + String(repeating: "x,,\n", count: 20_001)
        let error = #expect(throws: Refusal.self) { try ImportFile(Array(text.utf8)) }
        #expect(error?.code == "too_many_rows")
    }

    @Test(arguments: [[0xBC, 0xF6, 0x2C], Array("a\0,\0b\0".utf8)]) func `bytes that are not UTF-8 say so`(
        bytes: [UInt8]
    ) {
        let error = #expect(throws: Refusal.self) { try ImportFile(bytes) }
        #expect(error?.code == "wrong_encoding")
    }

    @Test func `one person of several can be chosen, by name or address`() throws {
        let rows = [
            Self.toggl, "Ara,a@x,,,,first,,2026-03-02,09:00,2026-03-02,10:00,,,",
            "Bora,b@x,,,,second,,2026-03-02,09:00,2026-03-02,10:00,,,",
        ].joined(separator: "\n")
        for (person, note) in [("a@x", "first"), ("Bora", "second")] {
            let file = try ImportFile(Array(rows.utf8), ImportOptions(person: person))
            #expect(file.sessions.map(\.note) == [note])
            #expect(file.rows == 1)
        }
        let stranger = #expect(throws: Refusal.self) { try ImportFile(Array(rows.utf8), ImportOptions(person: "c@x")) }
        #expect(stranger?.code == "unknown_person")
        #expect(stranger?.field == "person")
    }

    @Test func `what is said about a file is believed`() throws {
        let row = ",,,,,,,03/04/2026,09:00,03/04/2026,10:00,,,"
        let file = try read(Self.toggl, row, options: ImportOptions(dateFormat: .dayFirst))
        #expect(file.sessions.first?.localStart == "2026-04-03 09:00:00")
        #expect(throws: Refusal.self) { try read(Self.toggl, row, options: ImportOptions(format: .anthill)) }
        #expect(
            try read(Self.toggl, row, options: ImportOptions(format: .clockify, dateFormat: .monthFirst)).format
                == .clockify)
    }

    @Test func `a long or crooked project name becomes a subject's name`() throws {
        let file = try read(
            Self.toggl, ",,,\(String(repeating: "수", count: 80)),,,,2026-03-02,09:00,2026-03-02,10:00,,,",
            ",,,\"a\nb\",,,,2026-03-02,09:00,2026-03-02,10:00,,,")
        #expect(file.sessions.map(\.subject) == [String(repeating: "수", count: 60), "a b"])
    }
}
