import Synchronization

/// A body that is made piece by piece while it is sent, so that a long one is never in memory as a whole.
package struct Download: Sendable {
    /// The next piece, not empty; nil at the end. An error cuts the answer off, and the client can tell.
    package let next: @Sendable () async throws -> [UInt8]?

    package init(_ next: @escaping @Sendable () async throws -> [UInt8]?) { self.next = next }

    /// The pieces 0 to `count` - 1; empty ones are left out.
    package init(count: Int, _ piece: @escaping @Sendable (Int) async throws -> [UInt8]) {
        let made = Counter()
        self.init {
            while let number = made.next(below: count) {
                let bytes = try await piece(number)
                if !bytes.isEmpty { return bytes }
            }
            return nil
        }
    }

    private final class Counter: Sendable {
        private let made = Mutex(0)

        func next(below count: Int) -> Int? {
            made.withLock { made in
                guard made < count else { return nil }
                defer { made += 1 }
                return made
            }
        }
    }

    /// The same download, which also reports an error to `failed`.
    func failing(_ failed: @escaping @Sendable (any Error) -> Void) -> Download {
        Download { [next] in
            do {
                return try await next()
            } catch {
                failed(error)
                throw error
            }
        }
    }
}
