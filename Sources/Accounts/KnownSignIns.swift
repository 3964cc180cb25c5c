import Postgres
import Synchronization

/// The sign-ins of late, in memory. Whether one still holds is compared at every request with what has happened in the
/// database until then: it ends here when it ends there, whoever ended it and through whichever instance.
final class KnownSignIns: Sendable {
    private struct Known {
        let found: SignInStore.Found
        /// What was heard of changes by the time it was read.
        let number: Int
    }

    private let store: SignInStore
    private let changes: Changes
    private let most: Int
    private let known = Mutex<[[UInt8]: Known]>([:])

    /// Keeps at most so many of them.
    init(store: SignInStore, changes: Changes, most: Int = 20_000) {
        self.store = store
        self.changes = changes
        self.most = most
    }

    /// Whose token this is, and until when in the history of the database that is sure; no moment if it was read anew.
    func find(_ token: Token) async throws -> (uid: ID, id: ID, moment: Changes.Moment?)? {
        let mac = token.mac(.signIn, store.secret)
        if let known = known.withLock({ $0[mac] }) {
            let moment = try await changes.moment()
            if known.found.holds(at: moment.time), changes.isSilent(about: known.found.id, since: known.number) {
                return (known.found.uid, known.found.id, moment)
            }
        }
        let number = changes.number
        let found = try await store.find(mac)
        known.withLock { known in
            if known.count >= most, known[mac] == nil { known = [:] }
            known[mac] = found.map { Known(found: $0, number: number) }
        }
        return found.map { ($0.uid, $0.id, nil) }
    }
}
