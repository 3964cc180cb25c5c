import API
import HTTP
import Postgres
import Time

/// Closed months from the database.
struct StandingsStore: Sendable {
    let database: Database

    /// The closed months of a group, the newest first. Throws `not_found`.
    func all(of group: ID, for reader: ID, _ paging: Paging) async throws -> Page<ClosedMonth> {
        let before = try Self.before(paging)
        let rows = try await Refusal.ranking.mapConstraints {
            try await database.read(
                """
                SELECT month, closed_at, sha256, participants, amendments, rank, seconds
                FROM closed_months(\(reader), \(group), \(before), \(paging.limit + 1))
                """)
        }
        let months = try rows.decode(
            Day.self, Instant.self, String.self, Int.self, Int.self, Int?.self, Int?.self
        ).prefix(paging.limit)
        let items = months.map { month, closedAt, sha256, participants, amendments, rank, seconds in
            ClosedMonth(
                month: month.monthText, closedAt: closedAt, sha256: sha256, participants: participants,
                amendments: amendments, rank: rank, seconds: seconds)
        }
        return Page(items: items, next: rows.count > paging.limit ? months.last.map { Paging.cursor($0.0) } : nil)
    }

    /// One closed month in full. Throws `not_found` also where the month is not closed.
    func standings(of group: ID, _ month: Day, for reader: ID) async throws -> Standings {
        async let head = database.read(
            """
            SELECT g.name, c.closed_at, encode(c.sha256, 'hex')
            FROM group_members m JOIN groups g USING (group_id) JOIN month_closes c USING (group_id)
            WHERE m.uid = \(reader) AND m.group_id = \(group) AND c.month = \(month)
            """)
        async let lines = database.read(
            """
            SELECT s.place, s.amended_place, t.rank, s.visibility = 'hidden' AND s.uid <> \(reader) AS hidden, encode(standing_digest(t), 'hex') AS line,
              encode(s.person, 'hex') AS person, encode(t.seal_salt, 'hex') AS seal_salt, s.uid, s.nickname,
              t.counted_seconds AS seconds, t.manual_seconds, t.amended_rank, t.amended_seconds,
              CASE WHEN s.uid = \(reader) THEN encode(t.salt, 'hex') END AS salt
            FROM places_in_standings(\(group), \(month)) s
            JOIN standings t ON t.group_id = \(group) AND t.month = \(month) AND t.person = s.person
            ORDER BY s.place
            """)
        async let corrections = database.read(
            """
            SELECT a.at, a.reason, encode(a.person, 'hex'), u.nickname, a.old_rank, a.new_rank, a.old_seconds, a.new_seconds
            FROM amendments a LEFT JOIN users u ON u.uid = a.actor
            WHERE a.group_id = \(group) AND a.month = \(month) ORDER BY a.at, a.amendment_id
            """)
        guard let (name, closedAt, sha256) = try await head.decode(String.self, Instant.self, String.self).first else {
            throw Refusal.ranking.standingsNotFound
        }
        let rows = try await lines
        let entries = try rows.map(Standings.Entry.init)
        let mine = try rows.first { try ($0["salt"] as String?) != nil }.map { row in
            Standings.Mine(
                person: try row["person"], salt: try row["salt"], rank: try row["amended_rank"],
                seconds: try row["amended_seconds"])
        }
        // Of who hides nothing is told but that something was corrected, and why.
        let people = Dictionary(
            entries.compactMap { entry in entry.person.map { ($0, entry) } }, uniquingKeysWith: { first, _ in first })
        let amendments = try await corrections.decode(
            Instant.self, String.self, String.self, String?.self, Int.self, Int.self, Int.self, Int.self
        ).map { at, reason, person, by, oldRank, newRank, oldSeconds, newSeconds in
            let shown = people[person]
            return Standings.Amendment(
                at: at, reason: reason, uid: shown?.uid, nickname: shown?.nickname, by: by,
                oldRank: shown.map { _ in oldRank }, newRank: shown.map { _ in newRank },
                oldSeconds: shown.map { _ in oldSeconds }, newSeconds: shown.map { _ in newSeconds })
        }
        return Standings(
            group: Leaderboard.Group(id: group, name: name), month: month.monthText, closedAt: closedAt, sha256: sha256,
            entries: entries, amendments: amendments, me: mine)
    }

    /// Corrects a closed month. Throws `not_found`, `not_allowed`, `month_not_closed`, `invalid_reason`,
    /// `invalid_seconds` and `nothing_changed`.
    func amend(_ group: ID, _ month: Day, _ member: ID, seconds: Int, reason: String, by actor: ID) async throws {
        _ = try await Refusal.ranking.mapConstraints {
            try await database.write(
                "SELECT amend_standing(\(actor), \(group), \(month), \(member), \(seconds), \(reason))")
        }
    }

    /// One's own places in all closed months, the newest first.
    func own(_ uid: ID) async throws -> [OwnStanding] {
        try await database.read(
            """
            SELECT group_id, group_name, month, rank, participants, seconds, manual_seconds FROM own_standings(\(uid))
            """
        ).decode(ID.self, String.self, Day.self, Int.self, Int.self, Int.self, Int.self)
            .map { group, name, month, rank, participants, seconds, manual in
                OwnStanding(
                    group: Leaderboard.Group(id: group, name: name), month: month.monthText, rank: rank,
                    participants: participants, seconds: seconds, manualSeconds: manual)
            }
    }

    /// Everybody who ever stood on a podium of the group. Throws `not_found`.
    func champions(of group: ID, for reader: ID) async throws -> [Champion] {
        try await Refusal.ranking.mapConstraints {
            try await database.read(
                """
                SELECT uid, nickname, firsts, podiums, months, best_month, best_seconds
                FROM hall_of_fame(\(reader), \(group))
                """)
        }.decode(ID.self, String.self, Int.self, Int.self, Int.self, Day.self, Int.self)
            .map { uid, nickname, firsts, podiums, months, bestMonth, bestSeconds in
                Champion(
                    uid: uid, nickname: nickname, firsts: firsts, podiums: podiums, months: months,
                    bestMonth: bestMonth.monthText, bestSeconds: bestSeconds)
            }
    }

    private static func before(_ paging: Paging) throws -> Day? {
        guard let after = paging.after else { return nil }
        guard after.count == 1, let day = Day(after[0]) else { throw Paging.invalidCursor }
        return day
    }
}

extension Standings.Entry {
    fileprivate init(_ row: Row) throws {
        let hidden: Bool = try row["hidden"] ?? false
        func shown<Value: PostgresDecodable>(_ name: String) throws -> Value? { hidden ? nil : try row[name] }
        self.init(
            rank: hidden ? try row["place"] : try row["rank"], hidden: hidden, line: try row["line"],
            person: try shown("person"), sealSalt: try shown("seal_salt"), uid: try shown("uid"),
            nickname: try shown("nickname"), seconds: try shown("seconds"),
            manualSeconds: try shown("manual_seconds"),
            amendedRank: hidden ? try row["amended_place"] : try row["amended_rank"],
            amendedSeconds: try shown("amended_seconds"))
    }
}
