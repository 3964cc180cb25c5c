import Time

/// The order in which a file writes year, month and day. What stands between them does not matter.
package enum DateFormat: String, Sendable, CaseIterable, Encodable {
    case yearFirst = "YYYY-MM-DD"
    case monthFirst = "MM/DD/YYYY"
    case dayFirst = "DD/MM/YYYY"

    /// The one order that explains all dates of a file, nil when two orders do: 03/04/2026 alone could be either. A
    /// date that is none in any order does not decide.
    package static func detect(_ dates: some Sequence<String>) -> DateFormat? {
        var (onlyMonthFirst, onlyDayFirst, either) = (false, false, false)
        for text in dates {
            let month = Day(text, .monthFirst)
            let day = Day(text, .dayFirst)
            if month == day { continue }
            switch (month, day) {
            case (_?, nil): onlyMonthFirst = true
            case (nil, _?): onlyDayFirst = true
            default: either = true
            }
        }
        switch (onlyMonthFirst, onlyDayFirst) {
        case (true, false): return .monthFirst
        case (false, true): return .dayFirst
        case (true, true): return nil
        case (false, false): return either ? nil : .yearFirst
        }
    }
}

extension Day {
    /// A date with `-`, `/` or `.` between its numbers and a year of four digits. One with the year in front is read
    /// the same in every format.
    init?(_ text: String, _ format: DateFormat) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" || $0 == "." }
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap(Self.number)
        guard numbers.count == 3 else { return nil }
        let (year, month, day): (Int, Int, Int)
        if parts[0].count == 4 {
            (year, month, day) = (numbers[0], numbers[1], numbers[2])
        } else {
            guard parts[2].count == 4, parts[0].count <= 2 else { return nil }
            switch format {
            case .monthFirst: (year, month, day) = (numbers[2], numbers[0], numbers[1])
            case .dayFirst, .yearFirst: (year, month, day) = (numbers[2], numbers[1], numbers[0])
            }
        }
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.init(iso: "\(year)-\(month.twoDigits)-\(day.twoDigits)")
    }

    fileprivate static func number(_ text: Substring) -> Int? {
        (1...4).contains(text.count) && text.allSatisfy { $0.isASCII && $0.isNumber } ? Int(text) : nil
    }
}

extension TimeOfDay {
    /// As people and services write it: `09:05`, `9:05:00`, `9:05:00 PM`.
    init?(written text: String) {
        var words = text.uppercased().split { $0 == " " || $0 == "\u{A0}" || $0 == "\u{202F}" }
        var afternoon: Bool?
        if let last = words.last, let half = ["AM": false, "PM": true, "A.M.": false, "P.M.": true][String(last)] {
            afternoon = half
            words.removeLast()
        } else if let last = words.last, last.hasSuffix("AM") || last.hasSuffix("PM") {
            afternoon = last.hasSuffix("PM")
            words[words.count - 1] = last.dropLast(2)
        }
        guard words.count == 1 else { return nil }
        let parts = words[0].split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count <= 2 ? Day.number($0) : nil }
        guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[1] < 60, numbers.last! < 60 else {
            return nil
        }
        var hour = numbers[0]
        if let afternoon {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (afternoon ? 12 : 0)
        }
        guard hour < 24 else { return nil }
        self.init(seconds: hour * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0))
    }
}

/// A length of time, `1:30:00` or in decimal hours `1.5`, in seconds.
func writtenDuration(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 3 || parts.count == 2 {
        let numbers = parts.compactMap(Day.number)
        guard numbers.count == parts.count, numbers[1] < 60, numbers.last! < 60 else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    }
    guard parts.count == 1, let hours = Double(text), hours >= 0, hours < 10_000 else { return nil }
    return Int((hours * 3600).rounded())
}
