import Foundation
import Testing
import Time

@Suite struct InstantTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-21T05:00:00Z", 1_795_237_200),
        ("2026-11-21T14:00:00+09:00", 1_795_237_200),
        ("2026-11-20T23:30:00-05:30", 1_795_237_200), ("2026-11-21t05:00:00z", 1_795_237_200),
        ("2026-11-21T05:00:00.000Z", 1_795_237_200), ("2024-02-29T23:59:59Z", 1_709_251_199),
        ("1969-12-31T23:59:59Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
    func `a timestamp of RFC 3339 is its second`(text: String, seconds: Int) {
        #expect(Instant(rfc3339: text)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T05:00Z", "2026-11-21 05:00:00Z", "2026-11-21T05:00:00", "2026-11-21T24:00:00Z",
        "2026-11-21T05:60:00Z", "2026-11-21T23:59:60Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z", "0000-01-01T00:00:00Z", "2026-11-21T05:00:00.5Z",
        "2026-11-21T05:00:00.Z", "2026-11-21T05:00:00+9:00", "2026-11-21T05:00:00+24:00", "2026-11-21T05:00:00+0900",
        "2026-11-21T05:00:00Z ", " 2026-11-21T05:00:00Z", "+026-11-21T05:00:00Z", "２０２６-11-21T05:00:00Z",
        "2026-11-21T05:00:00ZZ", "2026-11-21T05:00:00−09:00",
    ])
    func `anything else is none`(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test func `instants and days print as they are read, over eight centuries`() {
        for day in stride(from: -146_097, through: 146_097, by: 17) {
            let instant = Instant(secondsSince1970: day * 86400 + 86399)
            #expect(Instant(rfc3339: instant.description) == instant)
            #expect(Day(iso: Day(daysSince1970: day).description)?.daysSince1970 == day)
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T09:00:00+09:00", 0), ("1970-01-01T00:00:00+00:01", nil),
    ])
    func `a request names no instant before 1970`(text: String, seconds: Int?) {
        #expect(Instant(from1970: text)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [
        ("2026-11-21T05:00:00Z", "Sat, 21 Nov 2026 05:00:00"),
        ("2024-02-29T23:59:59+09:00", "Thu, 29 Feb 2024 14:59:59"),
        ("1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00"), ("1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59"),
    ])
    func `a date in a header is in UTC`(instant: String, text: String) throws {
        #expect(try #require(Instant(rfc3339: instant)).headerText == text)
    }

    @Test func `in JSON they are text, and a wrong text is an error`() throws {
        let json = Data(#"["2026-11-21T05:00:00Z"]"#.utf8)
        let instants = try JSONDecoder().decode([Instant].self, from: json)
        #expect(try JSONEncoder().encode(instants) == json)
        let days = Data(#"["2026-02-30"]"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Day].self, from: days) }
    }

    @Test func `a day knows its month`() throws {
        let day = try #require(Day(iso: "2028-02-29"))
        #expect(day.month == Day(year: 2028, month: 2, day: 1))
        #expect(day.monthText == "2028-02")
        #expect(Day(month: "2028-02") == day.month)
        #expect(Day(month: "2028-13") == nil)
        #expect(Day(month: "2028-2") == nil)
        #expect(day.adding(days: 1) == Day(year: 2028, month: 3, day: 1))
        #expect(day < day.adding(days: 1))
        #expect(day.weekday == 2)
        #expect(Day(iso: "1969-12-29")?.weekday == 1)
        #expect(Day(iso: "1969-12-28")?.weekday == 7)
    }
}
