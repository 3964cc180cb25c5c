/// Something that is to be done again and again, by whichever instance comes to it first. It must bear being done twice,
/// also by two instances at once.
package struct Chore: Sendable {
    /// What it does, such as `end overdue timers`.
    package let name: String
    package let interval: Duration
    private let work: @Sendable () async throws -> Void

    package init(_ name: String, every interval: Duration, _ work: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.interval = interval
        self.work = work
    }

    /// Does it once.
    package func run() async throws { try await work() }
}
