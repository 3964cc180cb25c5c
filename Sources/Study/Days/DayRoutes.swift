import API
import Accounts
import HTTP
import Postgres
import Time

/// One's days: today, the calendar, rest days, and when one studies.
struct DayRoutes: Sendable {
    let days: TodayStore
    let calendar: CalendarStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/today", today),
            gate.user(.post, "/api/v1/me/today/perfect-announcement", announcePerfect),
            gate.user(
                .get, "/api/v1/me/days", query: ["month", "year"],
                mayLag: { request, _ in request.query["month"] != nil || request.query["year"] != nil }, list),
            gate.user(.get, "/api/v1/me/days/{day}/strip", strip),
            gate.user(.get, "/api/v1/me/rhythm", query: Request.dayParameters, rhythm),
            gate.user(.put, "/api/v1/me/rest-days/{day}", planRest),
            gate.user(.delete, "/api/v1/me/rest-days/{day}", cancelRest),
        ]
    }

    private func today(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await days.today(of: caller.uid))
    }

    private func announcePerfect(_ request: Request, _ caller: Caller) async throws -> Response {
        let text = try request.json("day").optionalString("day")
        try await days.announcePerfect(text.map { try Day($0, of: "day") }, to: caller.uid)
        return .noContent
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        let (month, year) = (request.query["month"], request.query["year"])
        guard let year else {
            let firstDay = try month.map { text in
                guard let day = Day(month: text) else { throw Refusal.days.invalidMonth }
                return day
            }
            return .writtenJSON(try await calendar.month(firstDay, of: caller.uid))
        }
        guard month == nil else { throw Refusal.days.monthAndYear }
        guard let firstDay = Day(month: year + "-01") else { throw Refusal.days.invalidYear }
        return .writtenJSON(try await calendar.year(firstDay.year, of: caller.uid))
    }

    private func strip(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await calendar.strip(of: Day(request.parameter("day"), of: "day"), for: caller.uid))
    }

    private func rhythm(_ request: Request, _ caller: Caller) async throws -> Response {
        let (from, to) = try request.studyDays()
        return try .json(await calendar.rhythm(of: caller.uid, from: from, to: to))
    }

    private func planRest(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        try await calendar.planRest(on: Day(request.parameter("day"), of: "day"), of: caller.uid)
        return .noContent
    }

    private func cancelRest(_ request: Request, _ caller: Caller) async throws -> Response {
        try await calendar.cancelRest(on: Day(request.parameter("day"), of: "day"), of: caller.uid)
        return .noContent
    }
}
