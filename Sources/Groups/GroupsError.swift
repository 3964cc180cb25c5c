import HTTP
import Postgres

/// What a group refuses, and what the caller may know of it.
package enum GroupsError: ResponseError, Equatable {
    /// No such group, member, invitation or suspension, or not for the caller to know.
    case notFound
    /// A member whose role does not reach that far.
    case notAllowed
    case invalidName, invalidDescription
    case invalidColour, invalidEmoji, invalidMonthGoal
    case invalidRole, invalidVisibility
    case unknownTimeZone, invalidDayStart, invalidDailyCap
    case invalidUses, invalidExpiry
    /// The invitation was used up, has run out, or its group is gone.
    case invitationExpired
    case alreadyMember
    case banned
    /// A group always has an owner.
    case lastOwner
    /// Nobody hands a group on to themselves.
    case alreadyOwner
    /// One person is in so many groups already.
    case tooManyGroups
    /// The group has as many members as a group may have.
    case groupFull
    case invalidReason, invalidAnswer
    /// `until` is not a time in whole seconds.
    case invalidTime
    /// `until` does not lie ahead, or further than a suspension lasts.
    case suspensionUntil
    /// Nobody suspends themselves.
    case notYourself
    case alreadySuspended
    /// It has ended or was lifted.
    case suspensionOver

    package var status: Status { facts.status }
    package var code: String { facts.code }
    package var field: String? { facts.field }

    private var facts: (status: Status, code: String, field: String?) {
        switch self {
        case .notFound: (.notFound, "not_found", nil)
        case .notAllowed: (.forbidden, "not_allowed", nil)
        case .invalidName: (.unprocessable, "invalid_name", "name")
        case .invalidDescription: (.unprocessable, "invalid_description", "description")
        case .invalidColour: (.unprocessable, "invalid_colour", "colour")
        case .invalidEmoji: (.unprocessable, "invalid_emoji", "emoji")
        case .invalidMonthGoal: (.unprocessable, "invalid_month_goal", "month_goal_seconds")
        case .invalidRole: (.unprocessable, "invalid_role", "role")
        case .invalidVisibility: (.unprocessable, "invalid_visibility", "visibility")
        case .unknownTimeZone: (.unprocessable, "unknown_time_zone", "rules.time_zone")
        case .invalidDayStart: (.unprocessable, "invalid_day_start", "rules.day_starts_at")
        case .invalidDailyCap: (.unprocessable, "invalid_daily_cap", "rules.daily_cap_seconds")
        case .invalidUses: (.unprocessable, "invalid_uses", "uses")
        case .invalidExpiry: (.unprocessable, "invalid_expiry", "expires_in_days")
        case .invitationExpired: (.gone, "invitation_expired", nil)
        case .alreadyMember: (.conflict, "already_member", nil)
        case .banned: (.forbidden, "banned", nil)
        case .lastOwner: (.conflict, "last_owner", nil)
        case .alreadyOwner: (.conflict, "already_owner", "uid")
        case .tooManyGroups: (.conflict, "too_many_groups", nil)
        case .groupFull: (.conflict, "group_full", nil)
        case .invalidReason: (.unprocessable, "invalid_reason", "reason")
        case .invalidAnswer: (.unprocessable, "invalid_answer", "answer")
        case .invalidTime: (.unprocessable, "invalid_time", "until")
        case .suspensionUntil: (.unprocessable, "suspension_until", "until")
        case .notYourself: (.unprocessable, "not_yourself", "uid")
        case .alreadySuspended: (.conflict, "already_suspended", nil)
        case .suspensionOver: (.conflict, "suspension_over", nil)
        }
    }
}

extension GroupsError {
    /// What a refusal of the schema means here, by the name of its constraint; nil for anything else.
    init?(_ error: PostgresError) {
        guard let constraint = error.constraint else { return nil }
        let meanings: [(prefix: String, GroupsError)] = [
            ("group_not_found", .notFound), ("member_not_found", .notFound), ("invitation_not_found", .notFound),
            ("suspension_not_found", .notFound), ("own_suspension", .notAllowed), ("not_concerned", .notAllowed),
            ("needs_admin", .notAllowed), ("needs_owner", .notAllowed), ("banned", .banned),
            ("invitation_expired", .invitationExpired), ("already_member", .alreadyMember),
            ("last_owner", .lastOwner), ("already_owner", .alreadyOwner), ("too_many_groups", .tooManyGroups),
            ("group_full", .groupFull),
            ("unknown_time_zone", .unknownTimeZone), ("ranking_rules_day_starts_at", .invalidDayStart),
            ("ranking_rules_daily_cap_seconds", .invalidDailyCap), ("groups_name", .invalidName),
            ("groups_description", .invalidDescription), ("groups_colour", .invalidColour),
            ("groups_emoji", .invalidEmoji), ("groups_month_goal_seconds", .invalidMonthGoal),
            ("suspensions_one_at_a_time", .alreadySuspended), ("suspensions_not_oneself", .notYourself),
            ("suspensions_order", .suspensionUntil), ("suspensions_until", .suspensionUntil),
            ("suspensions_reason", .invalidReason), ("suspensions_answer", .invalidAnswer),
            ("suspension_over", .suspensionOver),
        ]
        guard let meaning = meanings.first(where: { constraint.hasPrefix($0.prefix) }) else { return nil }
        self = meaning.1
    }

    /// Runs `body` and gives what the schema refuses its name.
    static func naming<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError {
            guard let named = GroupsError(error) else { throw error }
            throw named
        }
    }
}
