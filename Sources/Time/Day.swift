/// A date of the proleptic Gregorian calendar, without a time or a zone.
package struct Day: Hashable, Comparable, Sendable {
    package let daysSince1970: Int

    package init(daysSince1970: Int) { self.daysSince1970 = daysSince1970 }

    /// The numbers must name a day that exists.
    package init(year: Int, month: Int, day: Int) {
        precondition((1...12).contains(month) && (1...31).contains(day), "no such day")
        // Years that begin in March put the leap day last, so months follow one formula (Howard Hinnant).
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSince1970 = era * 146097 + dayOfEra - 719468
        precondition(parts == (year, month, day), "no such day")
    }

    /// `2026-11-21`, and nothing else; nil if there is no such day.
    package init?(iso text: String) {
        var scanner = DigitScanner(text)
        guard let day = scanner.day(), scanner.isAtEnd else { return nil }
        self = day
    }

    /// `2026-11`, and nothing else: the first day of that month.
    package init?(month text: String) {
        guard text.utf8.count == 7, let day = Day(iso: text + "-01") else { return nil }
        self = day
    }

    package var year: Int { parts.year }

    /// The first day of its month.
    package var month: Day { adding(days: 1 - parts.day) }

    /// 1 for Monday to 7 for Sunday.
    package var weekday: Int { ((daysSince1970 + 3) % 7 + 7) % 7 + 1 }

    /// `2026-11`.
    package var monthText: String { String(description.dropLast(3)) }

    package func adding(days: Int) -> Day { Day(daysSince1970: daysSince1970 + days) }

    package static func < (a: Day, b: Day) -> Bool { a.daysSince1970 < b.daysSince1970 }

    var parts: (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719468
        let era = (shifted >= 0 ? shifted : shifted - 146096) / 146097
        let dayOfEra = shifted - era * 146097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

/// In text and in JSON a day is `2026-11-21`.
extension Day: CodableAsText {
    package init?(_ description: String) { self.init(iso: description) }

    package var description: String {
        let (year, month, day) = parts
        return "\((year / 100).twoDigits)\((year % 100).twoDigits)-\(month.twoDigits)-\(day.twoDigits)"
    }
}
