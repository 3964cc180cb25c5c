import API
import HTTP
import Postgres
import Time

extension Request {
    /// The study days that `?from=` and `?to=` ask for, both included: the same day twice where only one is named, nil
    /// where none is. Throws `invalid_day` for what is no day, for a last day before the first, and for more than are
    /// answered at once.
    func studyDays() throws -> (from: Day?, to: Day?) {
        let (from, to) = (try day("from"), try day("to"))
        if let from, let to, to < from || to.daysSince1970 - from.daysSince1970 >= RuleNumber.mostDaysAtOnce.value {
            throw StudyError.invalidDay(field: "to")
        }
        return (from ?? to, to ?? from)
    }

    private func day(_ name: String) throws -> Day? {
        try query[name].map { text in
            guard let day = Day(iso: text) else { throw StudyError.invalidDay(field: name) }
            return day
        }
    }
}
