/// One future call of a closure on a loop's thread. Made by ``EventLoop/schedule(after:_:)``.
package final class Timer {
    let deadline: Duration
    private(set) var body: (() -> Void)?

    init(deadline: Duration, body: @escaping () -> Void) {
        self.deadline = deadline
        self.body = body
    }

    /// Cancels the call; harmless after it has happened.
    package func cancel() { body = nil }

    func fire() {
        let due = body
        body = nil
        due?()
    }
}

/// Timers by deadline: a binary heap in which a cancelled timer stays until it comes to the top.
struct TimerQueue {
    private var heap: [Timer] = []

    /// The earliest deadline of a timer that is still wanted.
    mutating func next() -> Duration? {
        while let first = heap.first, first.body == nil { removeFirst() }
        return heap.first?.deadline
    }

    mutating func popDue(_ now: Duration) -> Timer? {
        guard let deadline = next(), deadline <= now else { return nil }
        return removeFirst()
    }

    mutating func insert(_ timer: Timer) {
        heap.append(timer)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    @discardableResult
    private mutating func removeFirst() -> Timer {
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < heap.count else { break }
            let right = left + 1
            let child = right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
            guard heap[child].deadline < heap[parent].deadline else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}
