import Glibc
import Reactor
import Testing

@Suite struct WorkerPoolTests {
    @Test func `a full queue refuses at once and what was taken is done`() async throws {
        let pool = WorkerPool(threads: 1, queue: 1, patience: .seconds(60))
        let hasBegun = Semaphore()
        let mayEnd = Semaphore()
        async let running: Void = pool.run {
            hasBegun.signal()
            mayEnd.wait()
        }
        await Task.detached { hasBegun.wait() }.value
        // One is running and the queue holds one: of two more, one is refused and the other done.
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 { group.addTask { (try? await pool.run { true }) ?? false } }
            #expect(await group.next() == false)
            mayEnd.signal()
            #expect(await group.next() == true)
        }
        try await running
    }

    @Test func `work that waited longer than the pool's patience is refused and not done`() async throws {
        let pool = WorkerPool(threads: 1, queue: 4, patience: .seconds(-1))
        await #expect(throws: WorkerPool.Overloaded.self) { try await pool.run { Issue.record("it was run") } }
    }

    @Test func `an error of the work reaches its caller`() async {
        struct Broken: Error {}
        let pool = WorkerPool(threads: 1, queue: 4, patience: .seconds(5))
        await #expect(throws: Broken.self) { try await pool.run { throw Broken() } }
    }
}

private final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { sem_init(semaphore, 0, 0) }
    deinit { semaphore.deallocate() }
    func signal() { sem_post(semaphore) }
    func wait() { sem_wait(semaphore) }
}
