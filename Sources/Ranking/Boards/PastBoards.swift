import API
import Postgres
import Synchronization

/// Boards of the past of large groups, which take a third of a second or more: one at a time, and on a replica or a
/// connection of its own, so that nobody's read waits behind it on the primary.
final class PastBoards: Sendable {
    private let database: Database
    private let large: Int
    private let isBusy = Mutex(false)

    /// Groups above so many members are large.
    init(database: Database, large: Int) {
        self.database = database
        self.large = large
    }

    /// Throws ``RankingRefusals/tooManyPastBoards`` while another of a large group is computed.
    func compute<T: Sendable>(of group: ID, _ body: @Sendable () async throws -> T) async throws -> T {
        guard try await isLarge(group) else { return try await body() }
        let isFree = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else { throw Refusal.ranking.tooManyPastBoards }
        defer { isBusy.withLock { $0 = false } }
        if let value = try await database.onReplica(body) { return value }
        return try await database.transaction(body)
    }

    private func isLarge(_ group: ID) async throws -> Bool {
        try await database.read(
            """
            SELECT count(*) > \(large) FROM (
              SELECT FROM group_members WHERE group_id = \(group) LIMIT \(large + 1)) m
            """)[0].decode(Bool.self)
    }
}
