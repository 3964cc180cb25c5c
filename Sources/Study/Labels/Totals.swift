import API
import Accounts
import HTTP
import Postgres
import Time

/// Study time on some study days, by what it was for.
package struct Totals: Sendable, Encodable {
    package enum Kind: String, Sendable, Encodable {
        case subject, project, task
    }

    package struct Item: Sendable, Encodable {
        /// nil for what is on nothing.
        @OrNull package var id: ID?
        @OrNull package var name: String?
        @OrNull package var colour: Colour?
        package let archived: Bool
        package let seconds: Int
    }

    package let by: Kind
    package let from: Day
    /// Included.
    package let to: Day
    /// The most first.
    package let items: [Item]
    /// All study of these days. By project the items may add up to more: a task counts in each of its projects.
    package let seconds: Int
}

/// Totals from the database.
struct TotalsStore: Sendable {
    let database: Database

    /// The totals of these study days, today's when none are named.
    func totals(of uid: ID, by kind: Totals.Kind, from: Day?, to: Day?) async throws -> Totals {
        let rows = try await database.read(
            """
            SELECT d.from_day, d.to_day, t.id, t.name, t.colour, t.archived, t.seconds, t.in_all
            FROM (SELECT coalesce(\(from), day) AS from_day, coalesce(\(to), day) AS to_day FROM study_today(\(uid))) d
            LEFT JOIN LATERAL study_totals(\(uid), \(kind.rawValue), d.from_day, d.to_day) t ON true
            """)
        let items = try rows.compactMap { row -> Totals.Item? in
            guard let seconds: Int = try row["seconds"] else { return nil }
            return Totals.Item(
                id: try row["id"], name: try row["name"], colour: try row["colour"],
                archived: try row["archived"] ?? false, seconds: seconds)
        }
        return Totals(
            by: kind, from: try rows.one["from_day"], to: try rows.one["to_day"], items: items,
            seconds: try rows.one["in_all"] ?? 0)
    }
}

/// Study time by subject, project or task.
struct TotalsRoutes: Sendable {
    let totals: TotalsStore
    let gate: Gate

    var routes: [Endpoint] { [gate.user(.get, "/api/v1/me/totals", query: ["by", "from", "to"], show)] }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let kind = Totals.Kind(rawValue: request.query["by"] ?? "subject") else { throw Refusal.labels.invalidBy }
        let (from, to) = try request.studyDays()
        return try .json(await totals.totals(of: caller.uid, by: kind, from: from, to: to))
    }
}
