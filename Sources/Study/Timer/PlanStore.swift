import API
import Postgres

/// A person's own plans in the database.
struct PlanStore: Sendable {
    let database: Database

    func all(of uid: ID) async throws -> [Plan] {
        let rows = try await database.read(
            "SELECT name, work_seconds, rest_seconds FROM plans WHERE uid = \(uid) ORDER BY created_at, name")
        return try rows.decode(String.self, Int.self, Int.self).map(Plan.init(name:workSeconds:restSeconds:))
    }

    /// Keeps the plan, in the place of one that had its name.
    func save(_ plan: Plan, named name: String, of uid: ID) async throws {
        try await Refusal.plans.mapConstraints {
            _ = try await database.write("SELECT save_plan(\(uid), \(name), \(plan.workSeconds), \(plan.restSeconds))")
        }
    }

    func delete(_ name: String, of uid: ID) async throws {
        let gone = try await database.write("DELETE FROM plans WHERE uid = \(uid) AND name = \(name)")
        guard gone.affected == 1 else { throw Refusal.plans.notFound }
    }
}
