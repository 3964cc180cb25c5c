import API
import Foundation
import HTTP
import Postgres
import Time

/// Groups in the database.
struct GroupStore: Sendable {
    let database: Database

    /// Makes a group with its owner and answers its id.
    func create(owner: ID, name: String, _ wanted: WantedGroup) async throws -> ID {
        try await Refusal.groups.mapConstraints {
            let rows = try await database.write(
                """
                SELECT create_group(
                  \(owner), \(name), \(wanted.description), \(wanted.rules?.timeZone),
                  \(wanted.rules?.dayStartsAt)::time, \(wanted.rules?.dailyCapSeconds),
                  \(wanted.rules?.manualCounts), \(wanted.colour?.rawValue), \(wanted.emoji),
                  \(wanted.monthGoalSeconds), \(wanted.badgeAllowed), \(wanted.duel), \(wanted.listed),
                  \(wanted.monthsPublic), \(wanted.boardPublic))
                """)
            return try rows[0].decode(ID.self)
        }
    }

    /// The user's groups, oldest first.
    func all(of uid: ID, _ paging: Paging) async throws -> Page<Group> {
        let after = try paging.instantAndID()
        async let suspensions = database.read(
            "SELECT * FROM told_suspensions WHERE uid = \(uid) AND group_id IS NOT NULL AND in_force")
        let rows = try await database.read(
            """
            SELECT * FROM groups_of(\(uid))
            WHERE \(after == nil) OR (created_at, group_id) > (\(after?.instant), \(after?.id))
            ORDER BY created_at, group_id LIMIT \(paging.limit + 1)
            """)
        let own = try await Dictionary(
            suspensions.map { (try $0["group_id"] as ID, try Suspension($0)) },
            uniquingKeysWith: { first, _ in first })
        return try Page(rows, paging, by: "created_at", "group_id") { try Self.group($0, own[try $0["group_id"]]) }
    }

    /// The group as its member sees it; throws `not_found` for anybody else.
    func details(_ id: ID, for uid: ID) async throws -> Group {
        async let suspensions = database.read(
            "SELECT * FROM told_suspensions WHERE uid = \(uid) AND group_id = \(id) AND in_force")
        let rows = try await database.read(
            """
            SELECT * FROM group_details(\(uid), \(id))
            """)
        let own = try await suspensions.first.map(Suspension.init)
        guard let row = rows.first else { throw Refusal.groups.notFound }
        return try Self.group(row, own)
    }

    /// Changes what the group shows of itself at once and declares rules for a coming month, all or nothing; admins
    /// only.
    func change(_ id: ID, by actor: ID, _ wanted: WantedGroup) async throws {
        let changes = String(decoding: try JSON.bytes(wanted.changes), as: UTF8.self)
        var statements: [Query] = ["SELECT change_group(\(actor), \(id), \(changes)::jsonb)"]
        if let rules = wanted.rules {
            statements.append(
                """
                SELECT change_group_rules(\(actor), \(id), \(rules.timeZone), \(rules.dayStartsAt)::time,
                  \(rules.dailyCapSeconds), \(rules.manualCounts))
                """)
        }
        try await Refusal.groups.mapConstraints { [statements] in _ = try await database.write(statements) }
    }

    /// Ends every membership and the group; owners only.
    func delete(_ id: ID, by actor: ID) async throws {
        try await Refusal.groups.mapConstraints { _ = try await database.write("SELECT delete_group(\(actor), \(id))") }
    }

    /// Makes another member an owner and the giver an admin; owners only.
    func transfer(_ id: ID, from actor: ID, to heir: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT transfer_group(\(actor), \(id), \(heir))")
        }
    }

    private static func group(_ row: Row, _ suspension: Suspension?) throws -> Group {
        let coming: String = try row["coming_rules"]
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let comingRules = try decoder.decode([DeclaredRules].self, from: Data(coming.utf8)).map(\.rules)
        let newRulesFrom: Day = try row["new_rules_from"]
        let goal: Int? = try row["month_goal_seconds"]
        return Group(
            id: try row["group_id"], name: try row["name"], description: try row["description"],
            colour: try row["colour"], emoji: try row["emoji"], rules: try Rules(row),
            memberCount: try row["member_count"], myRole: try row["my_role"], myVisibility: try row["my_visibility"],
            nextRules: comingRules.first, comingRules: comingRules, newRulesFrom: newRulesFrom.monthText,
            monthGoal: try goal.map { MonthGoal(seconds: $0, reachedSeconds: try row["month_reached_seconds"]) },
            badgeAllowed: try row["badge_allowed"], duel: try row["duel"], listed: try row["listed"],
            monthsPublic: try row["months_public"], boardPublic: try row["board_public"],
            openJoinRequests: try row["open_join_requests"], mySuspension: suspension,
            createdAt: try row["created_at"])
    }
}

/// Declared rules as the database tells them.
private struct DeclaredRules: Decodable {
    let fromMonth: Day
    let timeZone: String
    let dayStartsAt: TimeOfDay
    let dailyCapSeconds: Int
    let manualCounts: Bool

    var rules: NextRules {
        NextRules(
            fromMonth: fromMonth,
            rules: Rules(
                timeZone: timeZone, dayStartsAt: dayStartsAt, dailyCapSeconds: dailyCapSeconds,
                manualCounts: manualCounts))
    }
}

extension Rules {
    /// The columns that every answer with rules in it has.
    package init(_ row: Row) throws {
        self.init(
            timeZone: try row["time_zone"], dayStartsAt: try row["day_starts_at"],
            dailyCapSeconds: try row["daily_cap_seconds"], manualCounts: try row["manual_counts"])
    }
}
