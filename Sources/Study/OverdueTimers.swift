import Postgres

/// Timers that nobody stopped. Whoever reads or writes goes by the clock anyway; ending them also makes the sessions
/// wait for their owner's answer without that owner coming back first.
package struct OverdueTimers: Sendable {
    private let database: Database

    package init(database: Database) { self.database = database }

    /// Ends every timer that has reached the longest interval; to be called every minute or so, by as many instances as
    /// there are.
    package func end() async throws {
        while let row = try await database.write("SELECT end_overdue_timers()").first, try row.decode(Int.self) > 0 {}
    }
}
