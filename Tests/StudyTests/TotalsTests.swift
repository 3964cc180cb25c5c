import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct TotalsTests {
    @Test func `totals by subject count study days; time without a subject is under null`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let math = try await me.made("/me/subjects", ["name": "Math", "colour": "sky"])
        // Seoul's 20 November ends at 20:00 UTC.
        _ = await me.log("2026-11-20T19:30:00Z", "2026-11-20T20:10:00Z", ["subject_id": .string(math)])
        _ = await me.log("2026-11-20T21:00:00Z", "2026-11-20T21:05:00Z")
        let today = await me.get("/me/totals").json
        #expect(
            today == [
                "by": "subject", "from": "2026-11-21", "to": "2026-11-21", "seconds": 900,
                "items": [
                    ["id": .string(math), "name": "Math", "colour": "sky", "archived": false, "seconds": 600],
                    ["id": nil, "name": nil, "colour": nil, "archived": false, "seconds": 300],
                ],
            ])
        let before = await me.get("/me/totals?by=subject&from=2026-11-20").json
        #expect(before["seconds"] == 1800)
        #expect(before["items"].array?.count == 1)
        let both = await me.get("/me/totals?from=2026-11-20&to=2026-11-21").json
        #expect(both["seconds"] == 2700)
        #expect(await me.get("/me/totals?from=2026-11-22").json["items"] == [])
    }

    @Test func `by project a task counts in each of its projects, but the time in all only once`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let exam = try await me.made("/me/projects", ["name": "Exam"])
        let book = try await me.made("/me/projects", ["name": "Book"])
        let both = try await me.made("/me/tasks", ["title": "Both", "project_ids": [.string(exam), .string(book)]])
        let none = try await me.made("/me/tasks", ["title": "None"])
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["task_id": .string(both)])
        _ = await me.log("2026-11-21T06:00:00Z", "2026-11-21T06:10:00Z", ["task_id": .string(none)])
        _ = await me.log("2026-11-21T07:00:00Z", "2026-11-21T07:05:00Z")
        let projects = await me.get("/me/totals?by=project").json
        #expect(projects["seconds"] == 4500)
        #expect(projects["items"].array?.map { $0["name"].string } == ["Book", "Exam", nil])
        #expect(projects["items"].array?.map { $0["seconds"].int } == [3600, 3600, 900])
        let tasks = await me.get("/me/totals?by=task").json
        #expect(tasks["seconds"] == 4500)
        #expect(tasks["items"].array?.map { $0["name"].string } == ["Both", "None", nil])
        #expect(tasks["items"].array?.map { $0["seconds"].int } == [3600, 600, 300])
    }

    @Test func `the running timer counts up to now and a cancelled one never did`() async throws {
        let me = try await student(at: "2026-11-20T19:59:00Z")
        let math = try await me.made("/me/subjects", ["name": "Math"])
        try await me.startTimer(subject: math)
        try await TestDatabase.current.advance(600)
        #expect(await me.get("/me/totals?from=2026-11-20").json["items"][0]["seconds"] == 60)
        #expect(await me.get("/me/totals").json["items"][0]["seconds"] == 540)
        let studied = await me.get("/me/today").json["study_seconds"]
        #expect(await me.get("/me/totals").json["seconds"] == studied)
        _ = await me.post("/me/timer/cancel")
        #expect(await me.get("/me/totals?from=2026-11-20&to=2026-11-21").json["items"] == [])
    }

    @Test func `what is archived stays in totals`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let math = try await me.made("/me/subjects", ["name": "Math"])
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", ["subject_id": .string(math)])
        _ = await me.delete("/me/subjects/\(math)")
        let item = await me.get("/me/totals").json["items"][0]
        #expect(item["name"] == "Math")
        #expect(item["archived"] == true)
        #expect(item["seconds"] == 3600)
    }

    @Test func `each interval is on its days by the clock it was recorded under`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let math = try await me.made("/me/subjects", ["name": "Math"])
        _ = await me.log("2026-11-20T19:00:00Z", "2026-11-20T21:00:00Z", ["subject_id": .string(math)])
        try await TestDatabase.current.sql("SELECT set_study_clock('\(me.id)', 'America/New_York', '05:00')")
        // Both lie on New York's 20 November, but the first was recorded in Seoul.
        _ = await me.log("2026-11-20T22:00:00Z", "2026-11-20T22:30:00Z", ["subject_id": .string(math)])
        #expect(await me.get("/me/totals?from=2026-11-20").json["seconds"].int == 3600 + 1800)
        #expect(await me.get("/me/totals?from=2026-11-21").json["seconds"] == 3600)
    }

    @Test(arguments: ["America/New_York", "Europe/London", "Australia/Lord_Howe"])
    func `across 05:00 and DST nights totals agree with counting minute by minute`(zone: String) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z", timeZone: zone)
        var math: [String?] = [nil]
        for name in ["a", "b"] { math.append(try await me.made("/me/subjects", ["name": .string(name)])) }
        let calendar = try Self.calendar(zone)
        var counted: [String: [Int: Int]] = [:]
        // 40 days from 2026-09-28 on: Lord Howe changes its clocks on 4 October, London on the 25th, New York on 1
        // November.
        let start = 1_790_553_600
        var (minute, seed): (Int, UInt64) = (0, 20_261_101)
        func random(_ below: UInt64) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % below)
        }
        while minute < 40 * 1440 {
            minute += random(500) + 1
            let (first, length, subject) = (minute, random(700) + 1, random(3))
            minute += length
            let (began, ended) = (start + first * 60, start + minute * 60)
            var body: [String: JSON] = ["source": "import"]
            body["subject_id"] = math[subject].map { .string($0) }
            let answer = await me.log(Self.text(began), Self.text(ended), body)
            #expect(answer.status == .created)
            for at in stride(from: began, to: ended, by: 60) {
                counted[Self.studyDay(of: at, calendar), default: [:]][subject, default: 0] += 60
            }
        }
        let days = counted.keys.sorted()
        for (from, to) in [(0, 0), (1, 1), (0, days.count - 1)] + (0..<60).map({ _ in (random(45), random(45)) }) {
            guard days.indices.contains(to), from <= to else { continue }
            let totals = await me.get("/me/totals?from=\(days[from])&to=\(days[to])").json
            var expected: [String?: Int] = [:]
            for day in days[from...to] {
                for (n, seconds) in counted[day] ?? [:] { expected[math[n], default: 0] += seconds }
            }
            let items = totals["items"].array ?? []
            #expect(Dictionary(uniqueKeysWithValues: items.map { ($0["id"].string, $0["seconds"].int) }) == expected)
            #expect(totals["seconds"].int == expected.values.reduce(0, +))
        }
    }

    @Test(arguments: [
        ("by=colour", "invalid_by", "by"), ("by=", "invalid_by", "by"), ("from=2026-02-30", "invalid_day", "from"),
        ("to=x", "invalid_day", "to"), ("from=2026-11-21&to=2026-11-20", "invalid_day", "to"),
        ("from=2025-11-20&to=2026-11-21", "invalid_day", "to"),
    ])
    func `a range is of days, the first before the last, at most 366`(
        query: String, code: String, field: String
    ) async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.get("/me/totals?\(query)")
        #expect(answer.status == .unprocessable)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
        #expect(await me.get("/me/totals?from=2025-11-21&to=2026-11-21").status == .ok)
    }

    private static func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    /// The date on the wall, or the one before while it shows less than 05:00.
    private static func studyDay(of second: Int, _ calendar: Calendar) -> String {
        let date = Date(timeIntervalSince1970: Double(second))
        let early = calendar.component(.hour, from: date) < 5
        let noon = calendar.date(bySettingHour: 12, minute: 0, second: 0, of: date) ?? date
        let day = early ? calendar.date(byAdding: .day, value: -1, to: noon) ?? noon : noon
        let parts = calendar.dateComponents([.year, .month, .day], from: day)
        let month = (parts.month ?? 0) < 10 ? "0\(parts.month ?? 0)" : "\(parts.month ?? 0)"
        return "\(parts.year ?? 0)-\(month)-\((parts.day ?? 0) < 10 ? "0" : "")\(parts.day ?? 0)"
    }

    private static func text(_ second: Int) -> String {
        Date(timeIntervalSince1970: Double(second)).formatted(.iso8601)
    }
}
