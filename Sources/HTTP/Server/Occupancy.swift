import Synchronization

/// Counts the connections of a server, in all and per address.
final class Occupancy: Sendable {
    private struct Counts {
        var all = 0
        var perAddress: [ClientAddress: Int] = [:]
    }

    private let configuration: ServerConfiguration
    private let counts = Mutex(Counts())

    init(_ configuration: ServerConfiguration) { self.configuration = configuration }

    var count: Int { counts.withLock(\.all) }

    /// Counts a connection in; false when there are too many already.
    func enter(_ peer: ClientAddress) -> Bool {
        counts.withLock { counts in
            guard counts.all < configuration.maxConnections else { return false }
            if isCounted(peer) {
                let count = counts.perAddress[peer.network, default: 0]
                guard count < configuration.maxConnectionsPerAddress else { return false }
                counts.perAddress[peer.network] = count + 1
            }
            counts.all += 1
            return true
        }
    }

    func leave(_ peer: ClientAddress) {
        counts.withLock { counts in
            counts.all -= 1
            guard isCounted(peer), let count = counts.perAddress[peer.network] else { return }
            counts.perAddress[peer.network] = count > 1 ? count - 1 : nil
        }
    }

    private func isCounted(_ peer: ClientAddress) -> Bool {
        !configuration.trustedProxies.contains { $0.contains(peer) }
    }
}
