import Foundation
import Reactor
import Synchronization

/// Does the chores of all features.
final class Housekeeping: Sendable {
    /// How a chore has fared in this process.
    struct Record: Sendable {
        /// When it was last done without an error.
        var lastSuccess: Date?
        var failures = 0
    }

    private let chores: [Chore]
    private let loop: EventLoop
    private let log: Log
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let records = Mutex<[String: Record]>([:])

    init(_ chores: [Chore], loop: EventLoop, log: Log) {
        self.chores = chores
        self.loop = loop
        self.log = log
    }

    /// Every chore, how often it is due in seconds, and how it has fared.
    var figures: [(name: String, interval: Double, record: Record)] {
        let records = records.withLock { $0 }
        return chores.map { ($0.name, $0.interval / .seconds(1), records[$0.name] ?? Record()) }
    }

    /// Does each chore at once and then in its rhythm.
    func start() {
        tasks.withLock { tasks in
            for chore in chores { tasks.append(Task(executorPreference: loop) { await self.repeatedly(chore) }) }
        }
    }

    func stop() { tasks.withLock { for task in $0 { task.cancel() } } }

    private func repeatedly(_ chore: Chore) async {
        while !Task.isCancelled {
            do {
                try await chore.run()
                records.withLock { $0[chore.name, default: Record()].lastSuccess = .now }
            } catch {
                records.withLock { $0[chore.name, default: Record()].failures += 1 }
                log(.warning, "housekeeping failed", ["chore": chore.name, "error": "\(error)"])
            }
            try? await Task.sleep(for: chore.interval)
        }
    }
}
