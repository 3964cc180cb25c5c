import API
import Postgres
import Testing
import Time

@testable import Ranking

@Suite struct PeriodTests {
    @Test(
        arguments: [
            ("day", "2026-11-21", Day(year: 2026, month: 11, day: 21)),
            ("week", "2026-11-16", Day(year: 2026, month: 11, day: 16)),
            ("month", "2026-11", Day(year: 2026, month: 11, day: 1)),
            (nil, "2024-02", Day(year: 2024, month: 2, day: 1)),
            ("week", "1969-12-29", Day(year: 1969, month: 12, day: 29)), ("week", nil, nil), (nil, nil, nil),
        ] as [(String?, String?, Day?)])
    func `a period is named by its first day`(length: String?, at: String?, firstDay: Day?) throws {
        let period = try Period(length: length, at: at)
        #expect(period.length.rawValue == length ?? "month")
        #expect(period.firstDay == firstDay)
        if let firstDay { #expect(period.length.name(firstDay) == at) }
    }

    @Test(
        arguments: [
            ("year", nil, "period"), ("", nil, "period"), ("month", "2026-11-01", "at"), ("month", "2026-13", "at"),
            ("day", "2026-02-30", "at"), ("day", "2026-11", "at"), ("week", "2026-11-17", "at"),
            ("week", "2026-W47", "at"),
        ] as [(String?, String?, String)])
    func `what names no period is refused`(length: String?, at: String?, field: String) {
        #expect(throws: Refusal.ranking.invalidPeriod.at(field)) { try Period(length: length, at: at) }
    }
}
