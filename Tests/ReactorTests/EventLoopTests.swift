import Glibc
import Reactor
import Synchronization
import Testing

@Suite struct EventLoopTests {
    let group = EventLoopGroup(count: 2)

    /// Runs `body` as a task of the first loop and stops the loops afterwards.
    func onLoop<T: Sendable>(_ body: @escaping @Sendable (EventLoop) async throws -> T) async throws -> T {
        group.start()
        let loop = group.loops[0]
        let result = await Task(executorPreference: loop) { try await body(loop) }.result
        group.stop()
        return try result.get()
    }

    @Test func `a task stays on its loop's thread across every kind of await`() async throws {
        let pool = WorkerPool(threads: 1, queue: 4, patience: .seconds(5))
        let places = try await onLoop { loop in
            var places = [loop.isCurrent]
            try await Task.sleep(for: .milliseconds(1))
            places.append(loop.isCurrent)
            async let child = loop.isCurrent
            places.append(await child)
            await withTaskGroup(of: Bool.self) { group in
                group.addTask { loop.isCurrent }
                for await place in group { places.append(place) }
            }
            await Task.yield()
            places.append(loop.isCurrent)
            let onPool = try await pool.run { EventLoop.current == nil }
            places.append(onPool)
            places.append(loop.isCurrent)
            return places
        }
        #expect(places == Array(repeating: true, count: 7))
    }

    @Test func `an actor that names a loop as its executor runs on that loop`() async throws {
        actor Confined {
            let loop: EventLoop
            nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: loop) }
            var count = 0
            init(loop: EventLoop) { self.loop = loop }
            func bump() -> Bool {
                count += 1
                return loop.isCurrent
            }
        }
        let other = group.loops[1]
        let (inside, after) = try await onLoop { loop in (await Confined(loop: other).bump(), loop.isCurrent) }
        #expect(inside && after)
    }

    @Test func `timers fire in the order of their deadlines and a cancelled one never`() async throws {
        let fired = try await onLoop { loop in
            await withCheckedContinuation { continuation in
                var order: [Int] = []
                loop.schedule(after: .milliseconds(9)) {
                    order.append(3)
                    continuation.resume(returning: order)
                }
                loop.schedule(after: .milliseconds(1)) { order.append(1) }
                loop.schedule(after: .milliseconds(4)) { order.append(0) }.cancel()
                loop.schedule(after: .milliseconds(5)) { order.append(2) }
            }
        }
        #expect(fired == [1, 2, 3])
    }

    @Test func `what is called before waiting is forgotten with its owner`() async throws {
        final class Count { var calls = 0 }
        let (wasCalled, isForgotten) = try await onLoop { loop in
            var owner: Count? = Count()
            var count: Count? = Count()
            weak let kept = count
            loop.beforeWaiting(owner!) { [count] _ in count!.calls += 1 }
            try await Task.sleep(for: .milliseconds(1))
            let wasCalled = count!.calls > 0
            (owner, count) = (nil, nil)
            try await Task.sleep(for: .milliseconds(1))
            return (wasCalled, kept == nil)
        }
        #expect(wasCalled && isForgotten)
    }

    @Test func `work from other threads runs in the order of the calls`() async throws {
        let seen = Mutex<[Int]>([])
        group.start()
        let loop = group.loops[0]
        await withCheckedContinuation { continuation in
            for number in 0..<1000 { loop.execute { seen.withLock { $0.append(number) } } }
            loop.execute { continuation.resume() }
        }
        group.stop()
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test func `a source that is removed within a turn hears no event of that turn`() async throws {
        let heard = try await onLoop { loop in
            await withCheckedContinuation { continuation in
                var ends: [[Int32]] = []
                for _ in 0..<2 {
                    var pair: [Int32] = [0, 0]
                    pipe(&pair)
                    ends.append(pair)
                    _ = write(pair[1], "x", 1)
                }
                var pipes: [EventSource] = []
                var heard = 0
                for pair in ends {
                    pipes.append(
                        EventSource(descriptor: pair[0]) { _ in
                            heard += 1
                            for pipe in pipes { loop.remove(pipe) }
                            guard heard == 1 else { return }
                            loop.schedule(after: .milliseconds(5)) {
                                for pair in ends { for end in pair { close(end) } }
                                continuation.resume(returning: heard)
                            }
                        })
                }
                for pipe in pipes { loop.add(pipe, .readable) }
            }
        }
        #expect(heard == 1)
    }

    @Test func `stopping runs what is queued and ends the threads`() async throws {
        let ran = Atomic(0)
        group.start()
        for loop in group.loops { for _ in 0..<100 { loop.execute { ran.add(1, ordering: .relaxed) } } }
        group.stop()
        #expect(ran.load(ordering: .relaxed) == 200)
    }
}
