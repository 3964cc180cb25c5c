import API
import HTTP
import Time

extension Day {
    /// The day that a request names in `field`; throws the refusal for what is no day.
    init(_ text: String, of field: String, or refusal: Refusal = .study.invalidDay) throws {
        guard let day = Day(iso: text) else { throw refusal.at(field) }
        self = day
    }
}

extension Request {
    /// The names that ``days(many:)`` reads.
    static let dayParameters: Set = ["from", "to"]

    /// The study days of `?from=` and `?to=`, both included; nil if one is not given. Throws `invalid_day` for what is
    /// no day, for an end before the start and, without `many`, for more days than are answered at once.
    func days(many: Bool = false) throws -> (from: Day?, to: Day?) {
        let refusal = many ? Refusal.study.invalidDaysOfMany : Refusal.study.invalidDays
        func day(_ name: String) throws -> Day? {
            try query[name].map { try Day($0, of: name, or: refusal) }
        }
        let (from, to) = (try day("from"), try day("to"))
        guard let from, let to else { return (from, to) }
        let isTooMany = !many && to.daysSince1970 - from.daysSince1970 >= RuleNumber.mostDaysAtOnce.value
        if to < from || isTooMany { throw refusal.at("to") }
        return (from, to)
    }

    /// The same where one day alone is that day.
    func studyDays() throws -> (from: Day?, to: Day?) {
        let (from, to) = try days()
        return (from ?? to, to ?? from)
    }
}
