import API
import Accounts
import HTTP
import Postgres
import Time

/// What a group studied on each day of a month.
struct GroupMonth: Sendable, Encodable {
    struct OneDay: Sendable, Encodable {
        let day: Day
        /// Of all who studied, but those who hide.
        let seconds: Int
        let people: Int
    }

    let month: String
    let today: Day
    let days: [OneDay]
    let seconds: Int
    private let group: ID
    private let asOf: Instant

    private enum CodingKeys: CodingKey { case month, today, days, seconds }

    /// The first row is the heading. Throws `not_found` without any.
    init(of group: ID, _ rows: Rows) throws {
        guard let heading = rows.first else { throw Refusal.ranking.groupNotFound }
        let frame = try BoardFrame(heading)
        self.group = group
        asOf = frame.now
        month = frame.firstDay.monthText
        today = try heading["today"]
        days = try rows.dropFirst().map { row in
            OneDay(day: try row["day"], seconds: try row["seconds"], people: try row["people"])
        }
        seconds = days.reduce(0) { $0 + $1.seconds }
    }
}

extension GroupMonth: Keepable {
    struct Key: Hashable, Sendable {
        let group: ID
        /// nil for the current month.
        let month: Day?
    }

    /// Only in the second in which it was read: timers run, and who is in the group is not known here.
    func holds(at time: Instant) -> Bool { asOf >= time }

    func isConcerned(by news: ChangeFeed.News) -> Bool { news.contains { _ in true } }

    var size: Int { days.count }
}
