import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import Time

@testable import Accounts

@Suite(.database) struct KeptTests {
    /// A number that changes with its subject, and holds for the second in which it was read.
    private struct Number: Keepable {
        let number: Int
        let subject: ID
        let readAt: Instant
        var size = 1

        func holds(at time: Instant) -> Bool { readAt >= time }
        func isConcerned(by news: ChangeFeed.News) -> Bool { news.contains(subject) }
    }

    /// What the values are read from: it can be made to wait.
    private final class Source: Sendable {
        private struct State {
            var number = 0
            var begun = 0
            var isHeld = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())
        private let database = TestDatabase.current.database
        let subject = ID()

        var begun: Int { state.withLock(\.begun) }

        /// Reads the number, then waits while it is held.
        func read(size: Int = 1) async throws -> Number {
            let number = state.withLock { state in
                state.begun += 1
                return state.number
            }
            let time = try await database.read("SELECT anthill_clock()")[0].decode(Instant.self)
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    if state.isHeld { state.waiting.append(continuation) }
                    return state.isHeld
                }
                if !mustWait { continuation.resume() }
            }
            return Number(number: number, subject: subject, readAt: time, size: size)
        }

        func hold() { state.withLock { $0.isHeld = true } }

        func letGo() {
            let waiting = state.withLock { state in
                defer { (state.isHeld, state.waiting) = (false, []) }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        /// Until so many reads have begun.
        func begun(_ count: Int) async throws { while begun < count { try await Task.sleep(for: .milliseconds(1)) } }

        /// Another instance counts on, and says so.
        func countOn() async throws {
            state.withLock { $0.number += 1 }
            _ = try await database.write("SELECT note_change(\(subject))")
        }
    }

    private let feed = ChangeFeed(database: TestDatabase.current.database)
    private let kept: Kept<Int, Number>
    private let source = Source()

    init() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        kept = Kept(feed, most: 5)
        _ = try await feed.position()
    }

    private func ask(_ key: Int = 0, size: Int = 1, own: Set<ID> = []) async throws -> Int {
        let position = try await feed.position()
        return try await kept.value(key, at: position, own: own) { [source] in try await source.read(size: size) }
            .number
    }

    @Test func `a value is read once while nothing has changed, and anew after a change`() async throws {
        for _ in 0..<3 { #expect(try await ask() == 0) }
        #expect(source.begun == 1)
        try await source.countOn()
        for _ in 0..<3 { #expect(try await ask() == 1) }
        #expect(source.begun == 2)
        _ = try await TestDatabase.current.database.write("SELECT note_change(\(ID()))")
        #expect(try await ask() == 1)
        #expect(source.begun == 2)
    }

    @Test func `a value is read anew when it no longer holds`() async throws {
        _ = try await ask()
        try await TestDatabase.current.advance(1)
        _ = try await ask()
        _ = try await ask()
        #expect(source.begun == 2)
    }

    @Test func `many at once wait for one load`() async throws {
        source.hold()
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            let position = try await feed.position()
            for _ in 0..<50 {
                tasks.addTask { try await kept.value(0, at: position) { try await source.read() }.number }
            }
            try await source.begun(1)
            source.letGo()
            for try await number in tasks { #expect(number == 0) }
        }
        #expect(source.begun == 1)
        #expect(kept.loadCount == 1)
    }

    @Test func `an overtaken load is only for those who came before the change`() async throws {
        source.hold()
        let before = Task { try await ask() }
        try await source.begun(1)
        try await source.countOn()
        let asked = feed.number
        let after = Task { try await ask() }
        // Until it has asked where the feed stands.
        while feed.number == asked { try await Task.sleep(for: .milliseconds(1)) }
        source.letGo()
        #expect(try await before.value == 0)
        #expect(try await after.value == 1)
        #expect(try await ask() == 1)
        #expect(source.begun == 2)
    }

    @Test func `a load that no change overtook is kept for later callers`() async throws {
        source.hold()
        let before = Task { try await ask() }
        try await source.begun(1)
        _ = try await TestDatabase.current.database.write("SELECT note_change(\(ID()))")
        let asked = feed.number
        let after = Task { try await ask() }
        while feed.number == asked { try await Task.sleep(for: .milliseconds(1)) }
        source.letGo()
        #expect(try await [before.value, after.value] == [0, 0])
        #expect(source.begun == 1)
    }

    @Test func `what cannot be loaded is an error for those who asked, and not kept`() async throws {
        struct Failure: Error {}
        let position = try await feed.position()
        for _ in 0..<2 {
            await #expect(throws: Failure.self) { try await kept.value(0, at: position) { throw Failure() } }
        }
        #expect(try await ask() == 0)
        #expect(kept.loadCount == 3)
    }

    @Test func `somebody who changed something sees it, others see the value that is kept`() async throws {
        let (reader, other) = (ID(), ID())
        _ = try await ask(own: [reader])
        _ = try await TestDatabase.current.database.write("SELECT note_change(\(reader))")
        _ = try await ask(own: [other])
        #expect(source.begun == 1)
        _ = try await ask(own: [reader])
        #expect(source.begun == 2)
        _ = try await ask(own: [reader])
        #expect(source.begun == 2)
    }

    @Test func `never more is kept than there is room for`() async throws {
        for key in 0..<4 { _ = try await ask(key, size: 2) }
        #expect(source.begun == 4)
        // The third had no room beside the first two.
        for key in [3, 2] { _ = try await ask(key, size: 2) }
        #expect(source.begun == 4)
        for key in [0, 1] { _ = try await ask(key, size: 2) }
        #expect(source.begun == 6)
    }

    @Test func `a value is loaded outside of the transaction that asks for it`() async throws {
        let database = TestDatabase.current.database
        let position = try await feed.position()
        try await database.transaction {
            try await database.write("CREATE TEMPORARY TABLE mine ()")
            await #expect(throws: PostgresError.self) {
                try await kept.value(7, at: position) {
                    _ = try await database.read("SELECT FROM mine")
                    return try await source.read()
                }
            }
        }
    }
}
