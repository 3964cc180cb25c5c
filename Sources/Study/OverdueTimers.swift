import Postgres

/// Timers that nobody stopped. Whoever reads or writes goes by the clock anyway; ending them also makes the sessions
/// wait for their owner's answer without that owner coming back first.
package struct OverdueTimers: Sendable {
    private let database: Database

    package init(database: Database) { self.database = database }

    /// Ends every timer at its twelve hours; to be called every minute or so, by as many instances as there are.
    package func end() async throws { try await database.write("SELECT end_overdue_timers()") }
}
