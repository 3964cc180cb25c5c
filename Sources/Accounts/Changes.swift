import Foundation
import Postgres
import Reactor
import Synchronization
import Time

/// What lets an instance answer from its memory and still know what others have done: before it does, it asks the
/// database what was committed since it last asked. One question is under way at a time, and all who come meanwhile share
/// the next.
package final class Changes: Sendable {
    /// A point in the history of the database, no earlier than when it was asked for.
    package struct Moment: Hashable, Sendable {
        /// So many answers had been taken in by then.
        package let number: Int
        /// The database's clock.
        package let time: Instant
    }

    private struct Seen {
        let snapshot: String
        let time: Instant
        let askedAt: ContinuousClock.Instant
    }

    private struct State {
        var seen: Seen?
        /// How many answers have been taken in.
        var number = 0
        /// With which answer it was last heard of a subject.
        var heard: [ID: Int] = [:]
        /// The same in the order of the answers; those of late.
        var recent: [(number: Int, subject: ID)] = []
        /// Of what was learned before this answer, and before that of `recent`, nothing is known any more.
        var floor = 0
        var recentFloor = 0
        /// Those who wait for the next question to be answered.
        var waiting: [UnsafeContinuation<Moment, any Error>] = []
        var isAsking = false
    }

    /// So many rows are read at most for one answer.
    private static let mostRows = 1000
    /// The subject that stands for all.
    private static let everything = ID(bytes: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private let database: Database
    private let mostSubjects: Int
    private let mostRecent: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// `mostSubjects`: how many are remembered before all is forgotten; `mostRecent`: how many of them in their order.
    package init(
        database: Database, mostSubjects: Int = 50_000, mostRecent: Int = 4096,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.database = database
        self.mostSubjects = mostSubjects
        self.mostRecent = mostRecent
        self.now = now
    }

    /// What is asked of the database from here on has all that this number of answers told of.
    package var number: Int { state.withLock(\.number) }

    /// Whether nothing was heard of it since that many answers.
    package func isSilent(about subject: ID, since number: Int) -> Bool {
        state.withLock { number >= $0.floor && $0.heard[subject, default: 0] <= number }
    }

    /// The subjects that were heard of since that many answers; nil if that is too long ago to say.
    package func heard(since number: Int) -> [ID]? {
        state.withLock { state in
            guard number >= state.recentFloor else { return nil }
            return state.recent.reversed().prefix { $0.number > number }.map(\.subject)
        }
    }

    // MARK: Asking

    /// Asks what has changed, together with all who ask now; throws ``PostgresError``.
    package func moment() async throws -> Moment {
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
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isAsking = !state.waiting.isEmpty
                return state.waiting
            }
            if waiting.isEmpty { return }
            do {
                let moment = try await ask()
                for one in waiting { one.resume(returning: moment) }
            } catch {
                for one in waiting { one.resume(throwing: error) }
            }
        }
    }

    private func ask() async throws -> Moment {
        let askedAt = now()
        // The database forgets what is two minutes old.
        let seen = state.withLock { state in state.seen.flatMap { askedAt - $0.askedAt < .seconds(60) ? $0 : nil } }
        // Written out instead of a function in the schema, which would be half of what a question costs. A transaction that
        // has been open for long keeps everything since then in the answer; that would be too much to read each time.
        let rows = try await database.read(
            """
            SELECT anthill_clock(), pg_current_snapshot()::text, count(*) < \(Self.mostRows),
              string_agg(c.subject::text, ',') FILTER (WHERE NOT c.is_seen)
            FROM (SELECT b.subject, pg_visible_in_snapshot(b.changed_in, s.seen) AS is_seen
                  FROM (SELECT \(seen?.snapshot)::text::pg_snapshot AS seen) s
                  JOIN board_changes b ON b.changed_in >= pg_snapshot_xmin(s.seen) LIMIT \(Self.mostRows)) c
            """)
        let (time, snapshot, isAll, text) = try rows[0].decode(Instant.self, String.self, Bool.self, String?.self)
        let subjects = text?.split(separator: ",").compactMap { ID(String($0)) } ?? []
        let isWhole = seen != nil && isAll && !subjects.contains(Self.everything)
        // Nor is anything sure when the clock was set.
        let isSteady = seen.map { abs(time - $0.time) < 60 } ?? false
        return state.withLock { state in
            state.number += 1
            state.seen = Seen(snapshot: snapshot, time: time, askedAt: askedAt)
            if !isWhole || !isSteady || state.heard.count > mostSubjects {
                state.heard = [:]
                state.recent = []
                (state.floor, state.recentFloor) = (state.number, state.number)
            }
            for subject in subjects {
                state.heard[subject] = state.number
                state.recent.append((state.number, subject))
            }
            if state.recent.count > mostRecent {
                state.recentFloor = state.recent[mostRecent / 2].number
                state.recent.removeFirst(mostRecent / 2 + 1)
            }
            return Moment(number: state.number, time: time)
        }
    }
}
