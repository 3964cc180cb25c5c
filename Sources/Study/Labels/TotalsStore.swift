import Postgres
import Time

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
