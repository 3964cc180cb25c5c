/// A point in time, in whole seconds.
package struct Instant: Hashable, Comparable, Sendable {
    package let secondsSince1970: Int

    package init(secondsSince1970: Int) { self.secondsSince1970 = secondsSince1970 }

    /// An RFC 3339 timestamp in whole seconds, with `Z` or an offset; nil for anything else, also for a leap second and
    /// for a fraction other than zero.
    package init?(rfc3339 text: String) {
        var scanner = DigitScanner(text)
        guard let day = scanner.day(), scanner.skip("T") || scanner.skip("t"),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
            let second = scanner.number(2), hour < 24, minute < 60, second < 60
        else { return nil }
        if scanner.skip(".") {
            guard scanner.skip("0") else { return nil }
            while scanner.skip("0") {}
        }
        var offset = 0
        if !(scanner.skip("Z") || scanner.skip("z")) {
            let isEast = scanner.skip("+")
            guard isEast || scanner.skip("-"), let hours = scanner.number(2), scanner.skip(":"),
                let minutes = scanner.number(2), hours < 24, minutes < 60
            else { return nil }
            offset = (isEast ? 60 : -60) * (60 * hours + minutes)
        }
        guard scanner.isAtEnd else { return nil }
        secondsSince1970 = day.daysSince1970 * 86400 + 3600 * hour + 60 * minute + second - offset
    }

    /// The same as a request may name it: not before 1970.
    package init?(from1970 text: String) {
        guard let instant = Instant(rfc3339: text), instant.secondsSince1970 >= 0 else { return nil }
        self = instant
    }

    package static func < (a: Instant, b: Instant) -> Bool { a.secondsSince1970 < b.secondsSince1970 }

    package static func + (instant: Instant, seconds: Int) -> Instant {
        Instant(secondsSince1970: instant.secondsSince1970 + seconds)
    }

    /// The seconds from `b` to `a`.
    package static func - (a: Instant, b: Instant) -> Int { a.secondsSince1970 - b.secondsSince1970 }
}

/// In text and in JSON an instant is `2026-11-21T05:00:00Z`.
extension Instant: CodableAsText {
    package init?(_ description: String) { self.init(rfc3339: description) }

    package var description: String {
        let (day, time) = utc
        return "\(day)T\(time.textToTheSecond)Z"
    }

    /// As headers of mail and of HTTP write it, without the zone: `Sat, 21 Nov 2026 05:00:00`.
    package var headerText: String {
        let (day, time) = utc
        let (year, month, date) = day.parts
        let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day.weekday - 1]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(weekday), \(date.twoDigits) \(months[month - 1]) \(year) \(time.textToTheSecond)"
    }

    /// The day and the time of day in UTC.
    private var utc: (day: Day, time: TimeOfDay) {
        var days = secondsSince1970 / 86400
        var seconds = secondsSince1970 % 86400
        if seconds < 0 {
            seconds += 86400
            days -= 1
        }
        return (Day(daysSince1970: days), TimeOfDay(seconds: seconds))
    }
}
