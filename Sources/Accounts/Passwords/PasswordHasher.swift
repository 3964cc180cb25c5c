import API
internal import CSodium
import Reactor
import Synchronization

/// argon2id, off the loops: two at once, 64 may wait, for two seconds at most.
package final class PasswordHasher: Sendable {
    /// What one hash costs. Growing it makes every password hashed anew at its next sign-in.
    package struct Cost: Sendable {
        package let passes: Int
        package let memory: Int

        package init(passes: Int, memory: Int) {
            self.passes = passes
            self.memory = memory
        }

        /// libsodium's INTERACTIVE: two passes over 64 MiB.
        package static let standard = Cost(passes: 2, memory: 64 << 20)
    }

    enum Verdict: Sendable {
        case wrong, right
        /// Correct, but hashed with other parameters than the current ones: hash it again.
        case outdated
    }

    private let cost: Cost
    private let pool: WorkerPool
    /// A hash that matches no password, checked for unknown addresses so that they take as long.
    let decoy: String
    private let begun = Atomic<Int>(0)

    package init(_ cost: Cost = .standard, pool: WorkerPool = WorkerPool(threads: 2, queue: 64, patience: .seconds(2)))
    {
        precondition(sodium_init() >= 0, "libsodium could not be initialised")
        self.cost = cost
        self.pool = pool
        // Random bytes in the place of the hash: computing one would take a third of the time that a start may take.
        let (salt, hash) = (Token().bytes.prefix(16), Token().bytes)
        let text = [Array(salt), hash].map { base64url($0).replacing("-", with: "+").replacing("_", with: "/") }
        decoy = "$argon2id$v=19$m=\(cost.memory >> 10),t=\(cost.passes),p=1$\(text[0])$\(text[1])"
    }

    /// How many hashes and verifications were asked for since the start.
    package var count: Int { begun.load(ordering: .relaxed) }

    /// A string that holds salt, parameters and hash. Throws ``AccountsRefusals/busy`` when too many wait.
    func hash(_ password: Password) async throws -> String {
        try await run { [cost] in try Self.hash(password, cost) }
    }

    /// Whether `password` is the one behind `hash`. Without a hash (nobody has that address) it takes as long and is
    /// wrong.
    func verify(_ password: Password, against hash: String?) async throws -> Verdict {
        try await run { [cost, decoy] in
            let bytes = Array(password.normalised.utf8CString)
            let matches = crypto_pwhash_str_verify(hash ?? decoy, bytes, UInt64(bytes.count - 1)) == 0
            guard let hash, matches else { return .wrong }
            return Self.isHash(hash, of: cost) ? .right : .outdated
        }
    }

    /// Whether `text` is a hash, and one that costs as much.
    static func isHash(_ text: String, of cost: Cost) -> Bool {
        crypto_pwhash_str_needs_rehash(text, UInt64(cost.passes), cost.memory) == 0
    }

    private func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        begun.add(1, ordering: .relaxed)
        do {
            return try await pool.run(work)
        } catch is WorkerPool.Overloaded {
            throw Refusal.accounts.busy
        }
    }

    private static func hash(_ password: Password, _ cost: Cost) throws -> String {
        let bytes = Array(password.normalised.utf8CString)
        var output = [CChar](repeating: 0, count: Int(crypto_pwhash_strbytes()))
        let result = crypto_pwhash_str_alg(
            &output, bytes, UInt64(bytes.count - 1), UInt64(cost.passes), cost.memory, crypto_pwhash_ALG_ARGON2ID13)
        guard result == 0 else { throw OutOfMemory() }
        return String(decoding: output.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private struct OutOfMemory: Error {}
}
