import API
import Accounts
import Groups
import HTTP
import Postgres
import Time

/// Closed months from the database.
struct StandingsStore: Sendable {
    let database: Database

    /// Asks the primary whether the group shows its closed months to everybody, where a replica may answer the rest. Throws
    /// `not_found`.
    func requirePublic(_ group: ID) async throws {
        if Database.reading == nil { return }
        let isPublic = try await Database.reading(from: nil) {
            try await database.read("SELECT may_read_months(NULL, \(group))").one.decode(Bool?.self)
        }
        if isPublic != true { throw Refusal.ranking.groupNotFound }
    }

    /// The closed months of a group, the newest first. A stranger has no UID. Throws `not_found`.
    func all(of group: ID, for reader: ID?, _ paging: Paging) async throws -> Page<ClosedMonth> {
        let before = try Self.before(paging)
        let rows = try await Refusal.ranking.mapConstraints {
            try await database.read(
                """
                SELECT month, closed_at, sha256, participants, amendments, rank, seconds
                FROM closed_months(\(reader), \(group), \(before), \(paging.limit + 1))
                """)
        }
        let items = try rows.prefix(paging.limit).map { row in
            ClosedMonth(
                month: (try row["month"] as Day).monthText, closedAt: try row["closed_at"], sha256: try row["sha256"],
                participants: try row["participants"], amendments: try row["amendments"], rank: try row["rank"],
                seconds: try row["seconds"])
        }
        let hasMore = rows.count > paging.limit
        return Page(items: items, next: hasMore ? Paging.cursor(try rows[paging.limit - 1]["month"] as Day) : nil)
    }

    /// The same for strangers, where the group shows its closed months to everybody. Throws `not_found`.
    func inPublic(of group: ID, _ paging: Paging) async throws -> PublicMonths {
        async let months = all(of: group, for: nil, paging)
        let named = try await database.read("SELECT name FROM groups WHERE group_id = \(group)").decode(String.self)
        let page = try await months
        return PublicMonths(
            group: Leaderboard.Group(id: group, name: named.first ?? ""), items: page.items, next: page.next)
    }

    /// One closed month in full. A stranger has no UID. Throws `not_found` also where the month is not closed.
    func standings(of group: ID, _ month: Day, for reader: ID?) async throws -> Standings {
        async let head = database.read(
            """
            SELECT g.name, c.closed_at, encode(c.sha256, 'hex')
            FROM groups g JOIN month_closes c USING (group_id)
            WHERE g.group_id = \(group) AND c.month = \(month) AND may_read_months(\(reader), g.group_id)
            """)
        async let counted = database.read(
            """
            SELECT time_zone, day_starts_at, daily_cap_seconds, manual_counts,
              clock_changes(\(group), \(month), next_month(\(month))) AS clock_changes
            FROM group_rules_in(\(group), \(month))
            """)
        async let lines = database.read(
            """
            SELECT s.place, s.amended_place, t.rank, s.visibility = 'hidden' AND s.uid IS DISTINCT FROM \(reader) AS hidden,
              encode(standing_digest(t), 'hex') AS line, encode(s.person, 'hex') AS person,
              encode(t.seal_salt, 'hex') AS seal_salt, s.uid, s.nickname, a.version AS avatar,
              t.counted_seconds AS seconds, t.manual_seconds, t.amended_rank, t.amended_seconds,
              growth(t.amended_seconds / (next_month(\(month)) - \(month)::date)) AS growth,
              CASE WHEN s.uid = \(reader) THEN encode(t.salt, 'hex') END AS salt
            FROM places_in_standings(\(group), \(month)) s
            JOIN standings t ON t.group_id = \(group) AND t.month = \(month) AND t.person = s.person
            LEFT JOIN shown_avatars a ON a.group_id = \(group) AND a.uid = s.uid
            ORDER BY s.place
            """)
        async let corrections = database.read(
            """
            SELECT a.at, a.reason, encode(a.person, 'hex') AS person, u.nickname, a.old_rank, a.new_rank, a.old_seconds, a.new_seconds
            FROM amendments a LEFT JOIN users u ON u.uid = a.actor
            WHERE a.group_id = \(group) AND a.month = \(month) ORDER BY a.at, a.amendment_id
            """)
        guard let (name, closedAt, sha256) = try await head.decode(String.self, Instant.self, String.self).first else {
            throw Refusal.ranking.standingsNotFound
        }
        let rules = try await counted.one
        let rows = try await lines
        let entries = try rows.map(Standings.Entry.init)
        let mine = try rows.first { try ($0["salt"] as String?) != nil }.map { row in
            Standings.Mine(
                person: try row["person"], salt: try row["salt"], rank: try row["amended_rank"],
                seconds: try row["amended_seconds"])
        }
        // For a hidden member only the reason of an amendment is given.
        let people = Dictionary(
            entries.compactMap { entry in entry.person.map { ($0, entry) } }, uniquingKeysWith: { first, _ in first })
        let amendments = try await corrections.map { row in
            let shown = people[try row["person"]]
            return Standings.Amendment(
                at: try row["at"], reason: try row["reason"], uid: shown?.uid, nickname: shown?.nickname,
                by: try row["nickname"], oldRank: try shown.map { _ in try row["old_rank"] },
                newRank: try shown.map { _ in try row["new_rank"] },
                oldSeconds: try shown.map { _ in try row["old_seconds"] },
                newSeconds: try shown.map { _ in try row["new_seconds"] })
        }
        let standings = Standings(
            group: Leaderboard.Group(id: group, name: name), month: month.monthText, closedAt: closedAt,
            rules: try Rules(rules), clockChanges: try ClockChange.all(rules["clock_changes"]), sha256: sha256,
            entries: entries, amendments: amendments, me: mine)
        return reader == nil ? standings.forStrangers : standings
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
        ).map { row in
            OwnStanding(
                group: Leaderboard.Group(id: try row["group_id"], name: try row["group_name"]),
                month: (try row["month"] as Day).monthText, rank: try row["rank"],
                participants: try row["participants"], seconds: try row["seconds"],
                manualSeconds: try row["manual_seconds"])
        }
    }

    /// Everybody who ever stood on a podium of the group. Throws `not_found`.
    func champions(of group: ID, for reader: ID) async throws -> [Champion] {
        try await Refusal.ranking.mapConstraints {
            try await database.read(
                """
                SELECT uid, nickname, avatar, firsts, podiums, months, best_month, best_seconds
                FROM hall_of_fame(\(reader), \(group))
                """)
        }.map { row in
            let uid: ID = try row["uid"]
            return Champion(
                uid: uid, nickname: try row["nickname"], avatarURL: AvatarURL(of: uid, version: try row["avatar"]),
                firsts: try row["firsts"], podiums: try row["podiums"], months: try row["months"],
                bestMonth: (try row["best_month"] as Day).monthText, bestSeconds: try row["best_seconds"])
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
        let uid: ID? = try shown("uid")
        let avatar: ID? = try shown("avatar")
        self.init(
            rank: hidden ? try row["place"] : try row["rank"], hidden: hidden, line: try row["line"],
            person: try shown("person"), sealSalt: try shown("seal_salt"), uid: uid,
            nickname: try shown("nickname"), avatarURL: uid.flatMap { AvatarURL(of: $0, version: avatar) },
            seconds: try shown("seconds"), manualSeconds: try shown("manual_seconds"),
            amendedRank: hidden ? try row["amended_place"] : try row["amended_rank"],
            amendedPlace: try row["amended_place"], amendedSeconds: try shown("amended_seconds"),
            growth: try shown("growth"))
    }
}
