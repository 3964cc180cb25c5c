internal import CLinux
import Synchronization

/// Counts the connections of a server, in all and per address, and the bytes that they keep in memory.
final class Occupancy: Sendable {
    /// What the connections of one client keep in memory.
    final class Share: Sendable {
        fileprivate let kept = Atomic(0)
    }

    private struct Counts {
        var all = 0
        var perAddress: [ClientAddress: Int] = [:]
    }

    private let configuration: ServerConfiguration
    private let counts = Mutex(Counts())
    private let kept = Atomic(0)
    /// All there from the start, so that a request takes no lock. Clients whose hashes meet have one together.
    private let shares = (0..<4096).map { _ in Share() }
    /// Whether so much was kept that the allocator holds on to memory which the system could use.
    private let hasBeenLarge = Atomic(false)

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

    /// What all connections keep in memory.
    var keptBytes: Int { kept.load(ordering: .relaxed) }

    /// Where the bytes of a client are counted; nil for trusted proxies, which have no bound but the common one.
    func share(of client: ClientAddress) -> Share? {
        isCounted(client) ? shares[client.network.hashValue & (shares.count - 1)] : nil
    }

    /// Counts `more` bytes, fewer if negative. False, and nothing is counted, when they would be more than `most` in
    /// all or a quarter of it for this client.
    @discardableResult
    func keep(_ more: Int, of share: Share?, most: Int) -> Bool {
        let all = kept.add(more, ordering: .relaxed).newValue
        let own = share?.kept.add(more, ordering: .relaxed).newValue ?? 0
        guard more > 0 else { return true }
        guard all <= most, own <= most / 4 else {
            kept.subtract(more, ordering: .relaxed)
            share?.kept.subtract(more, ordering: .relaxed)
            return false
        }
        if all > configuration.maxKept / 8 { hasBeenLarge.store(true, ordering: .relaxed) }
        return true
    }

    /// Gives free memory back to the system once a flood is over; the allocator would keep it.
    func giveMemoryBack() {
        guard hasBeenLarge.load(ordering: .relaxed), keptBytes < configuration.maxKept / 16,
            hasBeenLarge.exchange(false, ordering: .relaxed)
        else { return }
        malloc_trim(0)
    }

    private func isCounted(_ peer: ClientAddress) -> Bool {
        !configuration.trustedProxies.contains { $0.contains(peer) }
    }
}
