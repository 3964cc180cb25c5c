import Reactor
import Synchronization

/// Does the chores of all features.
final class Housekeeping: Sendable {
    private let chores: [Chore]
    private let loop: EventLoop
    private let log: Log
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(_ chores: [Chore], loop: EventLoop, log: Log) {
        self.chores = chores
        self.loop = loop
        self.log = log
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
            do { try await chore.run() } catch {
                log(.warning, "housekeeping failed", ["chore": chore.name, "error": "\(error)"])
            }
            try? await Task.sleep(for: chore.interval)
        }
    }
}
