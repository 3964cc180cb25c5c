import Postgres
import Time

/// Closes the months that are due. Whether a month is closed is decided by the clock; this writes its standings down.
package struct MonthCloser: Sendable {
    /// A month that could not be closed.
    package struct Failure: Error {
        package let group: ID
        package let month: Day
        package let reason: any Error
    }

    private let database: Database
    private let failed: @Sendable (Failure) -> Void

    /// `failed` is told of each month that could not be closed.
    package init(database: Database, failed: @escaping @Sendable (Failure) -> Void) {
        self.database = database
        self.failed = failed
    }

    /// Closes every month that is due, the oldest first, also those missed while nothing ran. Instances may do it at the
    /// same time: each month is closed once. A group whose month cannot be closed keeps no other waiting.
    package func run() async throws {
        var passed: [ID] = []
        while true {
            let due = try await database.write("SELECT group_id, month FROM months_due(\(passed))")
                .decode(ID.self, Day.self)
            if due.isEmpty { return }
            for (group, month) in due {
                do { try await close(group, month) } catch {
                    try Task.checkCancellation()
                    failed(Failure(group: group, month: month, reason: error))
                    passed.append(group)
                }
            }
        }
    }

    /// Locks in a statement of its own, so that the snapshot of the closing statement has the last writer's changes.
    private func close(_ group: ID, _ month: Day) async throws {
        _ = try await database.write([
            "SELECT lock_to_close(\(group), \(month))",
            "SELECT close_month(\(group), \(month))",
        ])
    }
}
