import Synchronization

/// The connections of one kind, on all loops together.
package struct LaneFigures: Sendable {
    package enum Kind: String, Sendable, CaseIterable { case read, write, transaction }

    /// How many connections there should be, or may be where they are opened on demand.
    package internal(set) var lanes = 0
    /// How many there are.
    package internal(set) var connections = 0
    /// How many of them wait for an answer or belong to a transaction.
    package internal(set) var busy = 0
    /// Statements that wait to be sent, or transactions that wait for a connection.
    package internal(set) var waiting = 0

    mutating func add(_ lane: Lane) {
        lanes += 1
        if lane.connection?.isOpen == true { connections += 1 }
        if lane.tenant != nil || lane.inFlight > 0 { busy += 1 }
        waiting += lane.waiting
    }
}

/// Why statements and transactions failed, as far as an operator has to tell apart.
package enum FailureKind: String, Sendable, CaseIterable {
    /// The server cannot be reached, or did not answer in time.
    case connection
    /// The queue of this program is full.
    case overloaded
    /// The server gave up a statement that took too long or waited too long for a lock.
    case timeout
    /// Two transactions were in each other's way.
    case conflict
    /// A constraint refused: a user's mistake, answered with a refusal.
    case refused
    /// The server lacks memory, connections or space on its disk.
    case resources
    case other

    init(_ error: PostgresError) {
        switch (error.kind, error.sqlstate.prefix(2)) {
        case (.connection, _), (_, "08"): self = .connection
        case (.overloaded, _): self = .overloaded
        case (_, "23"): self = .refused
        case (_, "40"): self = .conflict
        case (_, "53"), (_, "58"): self = .resources
        case (_, "57"): self = error.sqlstate == "57014" ? .timeout : .connection
        default: self = error.sqlstate == "55P03" ? .timeout : .other
        }
    }
}

/// Counts what failed. Only failures take its lock.
final class Failures: Sendable {
    private let counts = Mutex<[FailureKind: Int]>([:])

    var all: [FailureKind: Int] { counts.withLock { $0 } }

    /// Runs `body`, and counts the error that it throws.
    func counting<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch {
            if let error = error as? PostgresError { counts.withLock { $0[FailureKind(error), default: 0] += 1 } }
            throw error
        }
    }
}
