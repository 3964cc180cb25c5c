import Reactor
import Synchronization

/// What has to be done now and then, by whichever instance comes to it first.
final class Housekeeping: Sendable {
    /// A piece of work and its rhythm. It must bear being done twice, also by two instances at once.
    struct Chore: Sendable {
        let interval: Duration
        let work: @Sendable () async throws -> Void

        init(every interval: Duration, _ work: @escaping @Sendable () async throws -> Void) {
            self.interval = interval
            self.work = work
        }
    }

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
            do { try await chore.work() } catch { log(.warning, "housekeeping failed", ["error": "\(error)"]) }
            try? await Task.sleep(for: chore.interval)
        }
    }
}
