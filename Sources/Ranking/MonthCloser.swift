import Foundation
import Postgres

/// Closes the months that are due. Whether a month is closed is decided by the clock; this writes its standings down.
package struct MonthCloser: Sendable {
    private let database: Database

    package init(database: Database) { self.database = database }

    /// Closes every month that is due, the oldest first, also those missed while nothing ran. Instances may do it at the
    /// same time: each month is closed once.
    package func run() async throws {
        while true {
            let due = try await database.write("SELECT group_id, month FROM months_due()").decode(UUID.self, Day.self)
            for (group, month) in due { try await close(group, month) }
            if due.isEmpty { return }
        }
    }

    /// The lock in a statement of its own: the closing one's snapshot must hold what the last writer wrote.
    private func close(_ group: UUID, _ month: Day) async throws {
        _ = try await database.write([
            "SELECT lock_to_close(\(group), \(month))",
            "SELECT close_month(\(group), \(month))",
        ])
    }
}
