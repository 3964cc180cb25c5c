/// What one caller waits for: statements that succeed or fail together. Confined to its loop once it is handed over.
final class Work: @unchecked Sendable {
    enum Kind {
        /// Shares its Sync with others and is answered as soon as its rows are there.
        case read
        /// Has a Sync of its own, which commits it.
        case write
        /// A statement of an explicit transaction.
        case joined
        /// Raw text of several statements, inside an explicit transaction.
        case script
    }

    let kind: Kind
    /// The transaction it belongs to.
    let lease: Lease?
    var queries: [Query]
    var results: [Rows] = []
    var fault: PostgresError?
    /// Not run because another statement under the same Sync failed.
    var isStranded = false
    /// Sent once more after its batch failed, under a Sync of its own.
    var isAlone = false
    /// Sent once more after its connection was lost.
    var isAgain = false
    var retries = 0
    /// On the loop's clock: the moment until which it may wait to be sent.
    var deadline: Duration = .zero
    /// On the loop's clock: the moment at which the caller hears that no answer came; nil if it may take any time.
    var latest: Duration?
    /// Whether the caller still waits.
    var isAwaited: Bool { continuation != nil }
    private var continuation: UnsafeContinuation<[Rows], any Error>?

    init(_ kind: Kind, _ queries: [Query], lease: Lease? = nil) {
        self.kind = kind
        self.lease = lease
        self.queries = queries
    }

    /// Suspends the caller until the work is finished; `submit` hands it over.
    func result(_ submit: (Work) -> Void) async throws -> [Rows] {
        try await withUnsafeThrowingContinuation { continuation in
            self.continuation = continuation
            submit(self)
        }
    }

    /// Forgets an earlier attempt.
    func reset() {
        results.removeAll(keepingCapacity: true)
        fault = nil
        isStranded = false
    }

    /// Answers the caller with the results or the fault; the first call counts.
    func finish() {
        let waiting = continuation
        continuation = nil
        if let fault { lease?.note(fault) }
        if let fault { waiting?.resume(throwing: fault) } else { waiting?.resume(returning: results) }
    }

    func fail(_ error: PostgresError) {
        fault = error
        finish()
    }
}
