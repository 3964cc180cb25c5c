import API
import HTTP

/// The fields of a request that creates or changes a group. Omitted fields stay as they are, or get the defaults.
struct WantedGroup: Sendable {
    /// The fields it is read from.
    static let names = [
        "name", "description", "rules", "colour", "emoji", "month_goal_seconds", "badge_allowed", "duel", "listed",
        "months_public", "board_public",
    ]

    let name: String?
    let description: String?
    let rules: WantedRules?
    let colour: Colour?
    /// An emoji that is there as `null` is taken away, and a goal likewise.
    let keepsEmoji: Bool
    let emoji: String?
    let keepsMonthGoal: Bool
    let monthGoalSeconds: Int?
    let badgeAllowed: Bool?
    let duel: Bool?
    let listed: Bool?
    let monthsPublic: Bool?
    let boardPublic: Bool?

    init(_ fields: Fields) throws {
        name = try fields.optionalString("name").map(GroupText.name)
        description = try fields.optionalString("description").map(GroupText.description)
        rules = try Self.rules(fields)
        colour = try fields.optionalString("colour").map(Self.colour)
        keepsEmoji = !fields.has("emoji")
        emoji = try fields.optionalString("emoji").map(GroupText.emoji)
        keepsMonthGoal = !fields.has("month_goal_seconds")
        monthGoalSeconds = try Self.monthGoal(fields)
        badgeAllowed = try fields.optionalBool("badge_allowed")
        duel = try fields.optionalBool("duel")
        listed = try fields.optionalBool("listed")
        monthsPublic = try fields.optionalBool("months_public")
        boardPublic = try fields.optionalBool("board_public")
    }

    /// The JSON for `change_group`: omitted fields are left out, cleared fields are null.
    var changes: JSON {
        var changes: [String: JSON] = [:]
        changes["name"] = name.map(JSON.string)
        changes["description"] = description.map(JSON.string)
        changes["colour"] = (colour?.rawValue).map(JSON.string)
        if !keepsEmoji { changes["emoji"] = emoji.map(JSON.string) ?? .null }
        if !keepsMonthGoal { changes["month_goal_seconds"] = monthGoalSeconds.map(JSON.integer) ?? .null }
        changes["badge_allowed"] = badgeAllowed.map(JSON.bool)
        changes["duel"] = duel.map(JSON.bool)
        changes["listed"] = listed.map(JSON.bool)
        changes["months_public"] = monthsPublic.map(JSON.bool)
        changes["board_public"] = boardPublic.map(JSON.bool)
        return .object(changes)
    }

    private static func rules(_ fields: Fields) throws -> WantedRules? {
        try fields.optionalObject("rules", "time_zone", "day_starts_at", "daily_cap_seconds", "manual_counts").map {
            try WantedRules(
                timeZone: $0.optionalString("time_zone"), dayStartsAt: $0.optionalString("day_starts_at"),
                dailyCapSeconds: $0.optionalInt("daily_cap_seconds"), manualCounts: $0.optionalBool("manual_counts"))
        }
    }

    private static func colour(_ text: String) throws -> Colour {
        guard let colour = Colour(rawValue: text) else { throw Refusal.groups.invalidColour }
        return colour
    }

    /// From a minute to what a full group can study in the longest month.
    private static func monthGoal(_ fields: Fields) throws -> Int? {
        let seconds = try fields.optionalInt("month_goal_seconds")
        if let seconds, !(RuleNumber.shortestLength.value...RuleNumber.mostMonthGoal.value).contains(seconds) {
            throw Refusal.groups.invalidMonthGoal
        }
        return seconds
    }
}
