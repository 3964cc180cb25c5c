import API
import Postgres
import Synchronization

/// Boards of the past of large groups, which take a third of a second or more: one at a time, and on a connection of its
/// own, so that nobody's read waits behind it.
final class PastBoards: Sendable {
    private let isBusy = Mutex(false)

    /// Throws ``RankingRefusals/tooManyPastBoards`` while another is computed.
    func alone<T: Sendable>(in database: Database, _ compute: @Sendable () async throws -> T) async throws -> T {
        let isFree = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else { throw Refusal.ranking.tooManyPastBoards }
        defer { isBusy.withLock { $0 = false } }
        return try await database.transaction(compute)
    }
}
