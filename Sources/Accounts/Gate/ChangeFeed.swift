import Foundation
import Postgres
import Reactor
import Synchronization
import Time

/// The changes to users, groups and sign-ins in the database, by any instance or admin, in the order of their commits.
/// An instance that answers from memory first asks for the feed's position. One query runs at a time; callers that come
/// meanwhile share the next one.
package final class ChangeFeed: Sendable {
    /// A position in the feed. Everything committed before the question was asked comes before it.
    package struct Position: Hashable, Sendable {
        /// How many answers had been read.
        package let number: Int
        /// The database's clock.
        package let time: Instant
    }

    private struct Answer {
        let time: Instant
        /// PostgreSQL's snapshot (`pg_snapshot`).
        let snapshot: String
        /// nil if there are more changes than one query reads, or if everything may have changed.
        let subjects: [ID]?
    }

    private struct State {
        /// With the era of the database before it was asked.
        var last: (answer: Answer, askedAt: ContinuousClock.Instant, era: Int)?
        /// How many answers have been read.
        var number = 0
        /// What changed, with the number of the answer that said so.
        var changes: [(number: Int, subject: ID)] = []
        /// The last of these answers for each subject.
        var latest: [ID: Int] = [:]
        /// Changes up to this answer are no longer known.
        var forgotten = 0
        /// Callers waiting for the next query.
        var waiting: [UnsafeContinuation<Position, any Error>] = []
        var isAsking = false
    }

    /// The id that means: everything has changed.
    private static let everything = ID(bytes: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Distinguishes this feed from those of other processes, whose answers are numbered differently.
    package let tag = UInt32.random(in: 0 ... .max)
    private let database: Database
    private let most: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Remembers at most `most` changes.
    package init(
        database: Database, most: Int = 16_384, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.database = database
        self.most = most
        self.now = now
    }

    /// The number of the last answer. Anything read from now on includes all changes up to it.
    package var number: Int { state.withLock(\.number) }

    /// What has changed after an answer.
    package struct News {
        fileprivate let number: Int
        fileprivate let changes: [(number: Int, subject: ID)]
        fileprivate let latest: [ID: Int]

        package func contains(_ subject: ID) -> Bool { latest[subject].map { $0 > number } ?? false }

        /// Looks at every change: of a subject that is known, ask ``contains(_:)``.
        package func contains(where concerns: (ID) -> Bool) -> Bool {
            for change in changes.reversed() {
                if change.number <= number { return false }
                if concerns(change.subject) { return true }
            }
            return false
        }
    }

    /// Whether what has changed after answer `number` concerns the caller; true if the feed no longer knows.
    package func hasNews(after number: Int, _ concerns: (News) -> Bool) -> Bool {
        state.withLock { state in
            if number < state.forgotten { return true }
            if number == state.number { return false }
            return concerns(News(number: number, changes: state.changes, latest: state.latest))
        }
    }

    // MARK: Asking

    /// Asks what has changed, together with all who ask now; throws ``PostgresError``.
    package func position() async throws -> Position {
        let loop = EventLoop.current
        return try await withUnsafeThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isAsking = true }
                return !state.isAsking
            }
            // Not part of anybody's transaction.
            if isFirst { Task.detached(executorPreference: loop) { await self.serve() } }
        }
    }

    /// Asks for as long as somebody waits.
    private func serve() async {
        while true {
            // A turn later, so that callers that were just answered, and those that have just come, share this query.
            if let loop = EventLoop.current {
                await withUnsafeContinuation { turn in loop.execute { turn.resume() } }
            }
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isAsking = !state.waiting.isEmpty
                return state.waiting
            }
            if waiting.isEmpty { return }
            do {
                let position = try await advance()
                for one in waiting { one.resume(returning: position) }
            } catch {
                for one in waiting { one.resume(throwing: error) }
            }
        }
    }

    private func advance() async throws -> Position {
        let (askedAt, era) = (now(), database.era)
        // The database forgets what is two minutes old.
        let last = state.withLock { state in
            state.last.flatMap { askedAt - $0.askedAt < .seconds(60) ? $0 : nil }
        }
        let answer = try await ask(since: last?.answer.snapshot)
        // If the database's clock was changed, or another server may have answered, treat everything as changed.
        let isSteady = last.map { abs(answer.time - $0.answer.time) < 60 && $0.era == database.era } ?? false
        return state.withLock { state in
            state.number += 1
            state.last = (answer, askedAt, era)
            if let subjects = answer.subjects, isSteady {
                for subject in subjects {
                    state.changes.append((state.number, subject))
                    state.latest[subject] = state.number
                }
            } else {
                (state.changes, state.latest) = ([], [:])
                state.forgotten = state.number
            }
            if state.changes.count > most {
                let gone = state.changes.count - most / 2
                state.forgotten = state.changes[gone - 1].number
                state.changes.removeFirst(gone)
                state.latest = state.latest.filter { $0.value > state.forgotten }
            }
            return Position(number: state.number, time: answer.time)
        }
    }

    /// The changes that were committed and that this snapshot does not see. The query is written out because a function
    /// in the schema would take half of its time. A transaction that stays open for long brings every change since it
    /// began; the limit bounds that.
    ///
    /// The snapshot is compared in a subquery, whose value the planner does not know, and the limit is a literal.
    /// Otherwise PostgreSQL finds a plan for the given values cheaper than a generic one and plans each query anew,
    /// which takes three times as long as running it.
    private func ask(since snapshot: String?) async throws -> Answer {
        let rows = try await database.read(
            """
            SELECT anthill_clock(), pg_current_snapshot()::text, count(*) < 1000,
              string_agg(uuid_send(c.subject), '')
                FILTER (WHERE NOT pg_visible_in_snapshot(c.changed_in, \(snapshot)::text::pg_snapshot))
            FROM (SELECT b.subject, b.changed_in FROM board_changes b
                  WHERE b.changed_in >= (SELECT pg_snapshot_xmin(\(snapshot)::text::pg_snapshot))
                  ORDER BY b.changed_in LIMIT 1000) c
            """)
        let (time, now, isAll, bytes) = try rows[0].decode(Instant.self, String.self, Bool.self, [UInt8]?.self)
        let subjects = (bytes ?? []).withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 16).map { at in
                ID(bytes: bytes.loadUnaligned(fromByteOffset: at, as: uuid_t.self))
            }
        }
        let isWhole = snapshot != nil && isAll && !subjects.contains(Self.everything)
        return Answer(time: time, snapshot: now, subjects: isWhole ? subjects : nil)
    }
}
