/// A body that is made piece by piece while the client takes it, so that a long one never lies in memory as a whole.
package struct Download: Sendable {
    /// The next piece, not empty; nil at the end. An error cuts the answer off, which the client can tell from an end.
    package let next: @Sendable () async throws -> [UInt8]?

    package init(_ next: @escaping @Sendable () async throws -> [UInt8]?) { self.next = next }

    /// The same, telling of an error.
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
