import API
import HTTP
import Postgres

/// Somebody who watches a board.
protocol Watching: Sendable {
    var stream: EventStream { get }
    var reader: ID { get }
}

/// Those who watch boards of one kind, each under a number, and the task that sends them what changes.
struct Watchers<Watcher: Watching> {
    var all: [Int: Watcher] = [:]
    var task: Task<Void, Never>?
    private(set) var areGone = false
    private var lastNumber = 0
    /// Most streams that one person may have open.
    private let mostPerPerson = 20

    /// Takes one in, and returns the number. Throws ``RankingRefusals/tooManyStreams``, and `503 busy` after ``leave()``.
    mutating func add(_ watcher: Watcher) throws -> Int {
        if areGone { throw Problem.busy }
        let own = all.values.count { $0.reader == watcher.reader }
        guard own < mostPerPerson else { throw Refusal.ranking.tooManyStreams }
        lastNumber += 1
        all[lastNumber] = watcher
        return lastNumber
    }

    /// Takes all out; from now on there are no new ones. Their streams are to be ended, with
    /// ``EventStream/sayGoodbye()``.
    mutating func leave() -> [EventStream] {
        areGone = true
        task?.cancel()
        defer { all = [:] }
        return all.values.map(\.stream)
    }
}

extension EventStream {
    /// Sends a last event.
    func sayGoodbye() {
        send("{}", event: "bye")
        close()
    }
}
