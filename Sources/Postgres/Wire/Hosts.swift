import Synchronization

/// The servers that an address names, of which one is the primary. All connections share what they found out about them.
final class Hosts: Sendable {
    private struct State {
        /// The one that is tried next.
        var next = 0
        /// The one that was reached last: where connections belong.
        var home = 0
        var era = 0
    }

    /// How many there are.
    let count: Int
    private let state = Mutex(State())

    init(count: Int) { self.count = count }

    var next: Int { state.withLock(\.next) }
    var home: Int { state.withLock(\.home) }
    /// Grows when a connection is lost and when it is back: while it stays the same, no server has ended or been replaced.
    var era: Int { state.withLock(\.era) }

    /// The host took a connection and is the primary. Ignored if another primary was found since `home` was read.
    func found(_ host: Int, since home: Int) {
        state.withLock { if $0.home == home { ($0.next, $0.home) = (host, host) } }
    }

    /// A connection was lost, or is back.
    func beginEra() { state.withLock { $0.era += 1 } }

    /// The host cannot be reached, is not the primary or fell silent: the next one is tried, unless that is already so.
    func leave(_ host: Int) { state.withLock { if $0.next == host { $0.next = (host + 1) % count } } }
}
