import API
import Accounts
import HTTP
import Postgres
import Time

/// What is worth a look in a group, from the database.
struct SignalsStore: Sendable {
    let database: Database

    /// A month of all who are in the group now, hidden or not; by default the current one. Throws `not_found`,
    /// `not_allowed` and `future_period`.
    func signals(of group: ID, _ month: Day?, for reader: ID, _ paging: Paging) async throws -> Signals {
        let cursor = try Cursor(paging)
        let asked = month ?? cursor?.month
        let rows = try await Refusal.ranking.mapConstraints {
            try await database.read(
                """
                SELECT * FROM group_signals(\(reader), \(group), \(asked), \(cursor?.signals), \(cursor?.seconds),
                  \(cursor?.uid), \(paging.limit + 1))
                """)
        }
        // A group is never empty, so only a page after the last is without a row.
        guard let shown = try rows.first.map({ try $0["month"] as Day }) ?? asked else {
            throw Refusal.ranking.groupNotFound
        }
        let items = try rows.prefix(paging.limit).map(MemberFigures.init)
        var next: String?
        if rows.count > paging.limit, let last = items.last {
            next = Paging.cursor(shown, last.signals.count, last.seconds, last.uid)
        }
        return Signals(month: shown.monthText, items: items, next: next)
    }

    /// Below whom the next page goes on.
    private struct Cursor {
        let month: Day
        let signals: Int
        let seconds: Int
        let uid: ID

        init?(_ paging: Paging) throws {
            guard let after = paging.after else { return nil }
            guard after.count == 4, let month = Day(after[0]), let signals = Int(after[1]), let seconds = Int(after[2]),
                let uid = ID(after[3])
            else { throw Paging.invalidCursor }
            (self.month, self.signals, self.seconds, self.uid) = (month, signals, seconds, uid)
        }
    }
}

extension MemberFigures {
    fileprivate init(_ row: Row) throws {
        let (seconds, manual): (Int, Int) = (try row["seconds"], try row["manual_seconds"])
        let uid: ID = try row["uid"]
        self.init(
            uid: uid, nickname: try row["nickname"], avatarURL: AvatarURL(of: uid, version: try row["avatar"]),
            role: try row["role"], seconds: seconds, manualSeconds: manual,
            manualPermille: seconds == 0 ? 0 : manual * 1000 / seconds, days: try row["days"],
            daysNearCap: try row["days_near_cap"], longestDaySeconds: try row["longest_day_seconds"],
            intervals: try row["intervals"], commonestLengthSeconds: try row["commonest_length_seconds"],
            commonestLengthCount: try row["commonest_length_count"],
            signals: try row["signals"])
    }
}
