import API
import Accounts
import HTTP
import Time

/// The goals of a week and a month, and dates to count down to. `GET /me/today` shows them.
struct GoalRoutes: Sendable {
    let goals: GoalStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.put, "/api/v1/me/goals", set),
            gate.user(.post, "/api/v1/me/target-dates", add),
            gate.user(.patch, "/api/v1/me/target-dates/{id}", change),
            gate.user(.delete, "/api/v1/me/target-dates/{id}", remove),
        ]
    }

    private func set(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("week_seconds", "month_seconds")
        let (week, month) = (try fields.optionalInt("week_seconds"), try fields.optionalInt("month_seconds"))
        for (field, seconds, most) in [
            ("week_seconds", week, RuleNumber.longestWeek), ("month_seconds", month, RuleNumber.longestMonth),
        ] {
            guard let seconds, seconds != 0 else { continue }
            guard (RuleNumber.shortestLength.value...most.value).contains(seconds) else {
                throw Refusal.goals.invalidGoal.at(field)
            }
        }
        return try .json(["items": await goals.set(week: week, month: month, of: caller.uid)])
    }

    private func add(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("title", "day")
        let title = try TargetDate.title(fields.string("title"))
        let date = try await goals.add(title, on: Day(fields.string("day"), of: "day"), of: caller.uid)
        return try .created(date, at: "/api/v1/me/target-dates/\(date.id)")
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        let fields = try request.json("title", "day")
        let title = try fields.optionalString("title").map(TargetDate.title)
        let day = try fields.optionalString("day").map { try Day($0, of: "day") }
        return try .json(await goals.change(id, title: title, day: day, of: caller.uid))
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        try await goals.remove(request.uuid("id"), of: caller.uid)
        return .noContent
    }
}
