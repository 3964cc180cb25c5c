import Postgres

/// Brings the counters of the global board up to date, so that few changes wait to be added up by every reader.
package struct RankFolder: Sendable {
    private let database: Database

    package init(database: Database) { self.database = database }

    /// Folds all that waits. Of several instances one does it, and the others leave it to that one.
    package func run() async throws {
        while let row = try await database.write("SELECT fold_rank_deltas()").first, try row.decode(Int.self) > 0 {}
    }
}
