import API
import Glibc
import Reactor
import Synchronization
import Testing

@testable import Accounts

@Suite struct PasswordHasherTests {
    private let password = Password("gratnubel9")

    @Test func `the right password is right and any other is wrong`() async throws {
        let hasher = PasswordHasher(.cheap)
        let hash = try await hasher.hash(password)
        #expect(hash.hasPrefix("$argon2id$"))
        #expect(try await hasher.verify(password, against: hash) == .right)
        #expect(try await hasher.verify(Password("gratnubel8"), against: hash) == .wrong)
        #expect(try await hasher.verify(password, against: nil) == .wrong)
    }

    @Test func `the same keys in another normal form are the same password`() async throws {
        let hasher = PasswordHasher(.cheap)
        let hash = try await hasher.hash(Password("\u{1100}\u{1161}미는 ﬁve"))
        #expect(try await hasher.verify(Password("가미는 five"), against: hash) == .right)
    }

    @Test func `a hash of an older cost is right but outdated`() async throws {
        let hash = try await PasswordHasher(.cheap).hash(password)
        let costlier = PasswordHasher(.init(passes: 2, memory: 16 << 10))
        #expect(try await costlier.verify(password, against: hash) == .outdated)
    }

    @Test func `the standard cost is 64 MiB and two passes`() async throws {
        let hash = try await PasswordHasher().hash(password)
        #expect(hash.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
    }

    @Test func `unknown people cost one hash like everybody`() async throws {
        let hasher = PasswordHasher(.cheap)
        let hash = try await hasher.hash(password)
        let before = hasher.count
        _ = try await hasher.verify(password, against: hash)
        _ = try await hasher.verify(password, against: nil)
        #expect(hasher.count == before + 2)
    }

    @Test(arguments: [PasswordHasher.Cost.standard, .cheap])
    func `the decoy is a well-formed hash of the same cost`(cost: PasswordHasher.Cost) async throws {
        let hasher = PasswordHasher(cost)
        #expect(PasswordHasher.isHash(hasher.decoy, of: cost))
        #expect(!PasswordHasher.isHash("nonsense", of: cost))
        #expect(try await hasher.verify(password, against: hasher.decoy) == .wrong)
        #expect(try await hasher.hash(password).utf8.count == hasher.decoy.utf8.count)
    }

    @Test func `when too many wait the answer is busy`() async throws {
        let pool = WorkerPool(threads: 1, queue: 1, patience: .seconds(60))
        let hasher = PasswordHasher(.cheap, pool: pool)
        let hasBegun = Atomic(false)
        let mayEnd = Atomic(false)
        async let running: Void = pool.run {
            hasBegun.store(true, ordering: .sequentiallyConsistent)
            while !mayEnd.load(ordering: .sequentiallyConsistent) { usleep(1000) }
        }
        while !hasBegun.load(ordering: .sequentiallyConsistent) { try await Task.sleep(for: .milliseconds(1)) }
        // The only thread is taken, and one can wait for it.
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do { _ = try await hasher.hash(password) } catch { return error as? Refusal == .accounts.busy }
                    return false
                }
            }
            for _ in 0..<7 { #expect(await group.next() == true) }
            mayEnd.store(true, ordering: .sequentiallyConsistent)
            #expect(await group.next() == false)
        }
        try await running
    }
}

extension PasswordHasher.Cost {
    /// What libsodium allows at the least: tests make many users.
    static let cheap = PasswordHasher.Cost(passes: 1, memory: 8 << 10)
}
