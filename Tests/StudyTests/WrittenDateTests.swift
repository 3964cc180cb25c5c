import Postgres
import Testing
import Time

@testable import Study

@Suite struct WrittenDateTests {
    @Test(arguments: [
        ("2026-03-04", DateFormat.monthFirst, "2026-03-04"), ("2026/3/4", .dayFirst, "2026-03-04"),
        ("2026.03.04", .yearFirst, "2026-03-04"), ("03/04/2026", .monthFirst, "2026-03-04"),
        ("03/04/2026", .dayFirst, "2026-04-03"), ("3-4-2026", .monthFirst, "2026-03-04"),
        ("04.03.2026", .dayFirst, "2026-03-04"), ("29/02/2028", .dayFirst, "2028-02-29"),
    ])
    func `a date is read in the order of its file`(text: String, format: DateFormat, day: String) {
        #expect(Day(text, format)?.description == day)
    }

    @Test(arguments: [
        "", "2026-02-30", "30/02/2026", "13/13/2026", "2026-13-01", "26-03-04", "03/04/26", "2026-03", "2026-03-04-05",
        "1969-12-31", "a/b/2026", "+3/04/2026", "03/ 4/2026", "２０26-03-04", "12026-03-04", "0/1/2026", "003/04/2026",
    ])
    func `an invalid date is invalid in every order`(text: String) {
        for format in DateFormat.allCases { #expect(Day(text, format) == nil) }
    }

    @Test(arguments: [
        (["2026-03-04"], DateFormat.yearFirst), (["03/04/2026", "03/13/2026"], .monthFirst),
        (["03/04/2026", "13/03/2026"], .dayFirst), (["03/04/2026"], nil), (["13/03/2026", "03/13/2026"], nil),
        (["03/03/2026", "12/12/2026"], .yearFirst), ([], .yearFirst), (["nonsense", "31/31/2026"], .yearFirst),
        (["nonsense", "31/12/2026"], .dayFirst), (["05/05/2026", "01/02/2026", "2026-01-02"], nil),
    ])
    func `the whole file tells in which order its dates are written, or that it does not`(
        dates: [String], format: DateFormat?
    ) {
        #expect(DateFormat.detect(dates) == format)
    }

    @Test(arguments: [
        ("09:05", "09:05:00"), ("9:05:07", "09:05:07"), ("00:00:00", "00:00:00"), ("23:59:59", "23:59:59"),
        ("9:05 AM", "09:05:00"), ("12:00:00 AM", "00:00:00"), ("12:30 pm", "12:30:00"), ("11:59:59PM", "23:59:59"),
        ("1:00 p.m.", "13:00:00"), ("1:00\u{202F}PM", "13:00:00"),
    ])
    func `a time of day is read in 24 and in 12 hours`(text: String, expected: String) {
        #expect(TimeOfDay(written: text)?.textToTheSecond == expected)
    }

    @Test(arguments: [
        "", "9", "24:00", "9:60", "9:05:60", "13:00 PM", "0:30 AM", "9:05 XM", "AM", "9:5:5:5", "-9:05", "9: 05",
        "009:05",
    ])
    func `what is no time of day is none`(text: String) {
        #expect(TimeOfDay(written: text) == nil)
    }

    @Test(arguments: [
        ("1:30:00", 5400), ("01:30", 5400), ("0.50", 1800), ("27:00:01", 97_201), ("1.51", 5436), ("", nil),
        ("1:60:00", nil),
        ("-1", nil), ("nan", nil), ("inf", nil), ("x", nil), ("1:2:3:4", nil),
    ])
    func `a length of time is read as a clock or in hours`(text: String, seconds: Int?) {
        #expect(writtenDuration(text) == seconds)
    }
}
