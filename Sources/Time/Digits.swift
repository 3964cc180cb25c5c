extension FixedWidthInteger {
    /// With a zero in front below ten: `05`.
    package var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}

/// Reads fixed numbers of ASCII digits between fixed marks.
struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Exactly `count` digits.
    mutating func number(_ count: Int) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let digit = rest.popFirst(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else {
                return nil
            }
            value = 10 * value + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// Whether the next character is `mark`; if so it is taken.
    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest.removeFirst()
        return true
    }

    /// `2026-11-21`, if there is such a day.
    mutating func day() -> Day? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year > 0, (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        return Day(year: year, month: month, day: day)
    }
}
