import Reactor
import Synchronization

/// How far the database has come: whatever was acknowledged before somebody asked for it lies behind it.
package struct Position: Sendable, Equatable {
    /// Grows each time a standby becomes the primary. What one timeline has written another one may lack.
    package let timeline: Int
    /// In the write-ahead log.
    package let place: Int

    package init(timeline: Int, place: Int) {
        self.timeline = timeline
        self.place = place
    }

    /// Of somebody who has written nothing: every replica that follows has come there.
    package static let start = Position(timeline: 0, place: 0)
}

/// The reads of one request, or of one download, that may go to a replica: all to the same one, so that none is older than
/// the one before it. Once it cannot answer, the primary does to the end.
package final class Reading: Sendable {
    private struct State {
        var position: Position?
        var replica: Int?
    }

    private let state: Mutex<State>

    init(from position: Position) { state = Mutex(State(position: position)) }

    /// Where the replica must be, or was when it answered last; nil if only the primary will do.
    package var position: Position? { state.withLock(\.position) }

    /// The replica to ask, and where it must be; nil if only the primary will do.
    func replica(of all: Replicas) -> (number: Int, timeline: Int, position: Position)? {
        state.withLock { state in
            guard let position = state.position,
                let chosen = all.choose(for: position, among: state.replica)
            else { return nil }
            state.replica = chosen.number
            return (chosen.number, chosen.timeline, position)
        }
    }

    /// The replica was there when it answered.
    func came(to position: Position) {
        state.withLock { state in
            guard let known = state.position else { return }
            if known.timeline != position.timeline || known.place < position.place { state.position = position }
        }
    }

    /// The primary answers now, and any replica may lag behind it.
    func leaveReplica() { state.withLock { $0.position = nil } }
}

/// A standby that is asked for what may be a few seconds old.
package struct ReplicaFigures: Sendable {
    package let name: String
    /// The most that it may lag; nil while it cannot be reached, lags too far to tell, or does not follow the primary.
    package internal(set) var lag: Duration?
    /// The reads that it answered.
    package internal(set) var reads = 0

    /// One that lags more is left out.
    package static let mostLag: Duration = .seconds(5)
    package var isFit: Bool { lag.map { $0 <= Self.mostLag } ?? false }
}

/// All of them, and what is known about how far they have come.
final class Replicas: Sendable {
    /// What a server says of itself. The cluster's number is the same on a primary and its standbys.
    struct Report {
        let cluster: Int
        let place: Int
    }

    /// Whether a replica follows the primary. One that was ahead of the promoted standby cannot follow it: it stands
    /// still while the primary's place passes its own. So a replica counts as following only once it reaches a place
    /// that the primary had after the replica's report.
    fileprivate enum Standing {
        case unknown
        /// Until it has come to this place.
        case doubtful(Int)
        case follows
        /// Until it misses a report, as when it is restarted, or the primary is another one.
        case strays
    }

    fileprivate struct State {
        var primary: (cluster: Int, timeline: Int)?
        /// Where the primary was, and when it was asked.
        var places: [(place: Int, at: ContinuousClock.Instant)] = []
        var standings: [Standing]
        /// What each of them said last, and when.
        var reports: [(place: Int, at: ContinuousClock.Instant)?]
        var all: [ReplicaFigures]
    }

    let count: Int
    private let state: Mutex<State>

    init(names: [String]) {
        count = names.count
        state = Mutex(
            State(
                standings: names.map { _ in .unknown }, reports: names.map { _ in nil },
                all: names.map { ReplicaFigures(name: $0) }))
    }

    var all: [ReplicaFigures] { state.withLock(\.all) }

    /// The primary's timeline when it was asked last.
    var timeline: Int? { state.withLock(\.primary?.timeline) }

    /// A replica that may answer somebody who knows this position, with the timeline that it follows; nil if there is
    /// none. If `number` is given, only that replica.
    func choose(for position: Position, among number: Int?) -> (number: Int, timeline: Int)? {
        state.withLock { state in
            guard let timeline = state.primary?.timeline, position == .start || position.timeline == timeline,
                let number = state.all.indices.filter({ state.all[$0].isFit && $0 == number ?? $0 }).randomElement()
            else { return nil }
            return (number, timeline)
        }
    }

    /// The primary was there, asked at that time.
    func primary(is report: Report, on timeline: Int, at time: ContinuousClock.Instant) {
        state.withLock { state in
            if state.primary.map({ $0 != (report.cluster, timeline) }) ?? true {
                state.primary = (report.cluster, timeline)
                state.places = []
                for number in state.all.indices { state.judge(number, .unknown) }
            }
            state.places.removeAll { time - $0.at > .seconds(120) }
            state.places.append((report.place, time))
            for number in state.all.indices {
                guard let last = state.reports[number], last.at <= time else { continue }
                if last.place > report.place {
                    state.judge(number, .strays)
                } else if case .unknown = state.standings[number] {
                    state.judge(number, .doubtful(report.place))
                }
            }
        }
    }

    /// A replica's report; nil if it gave none. Its lag is at most the time since the primary was at the same place.
    func replica(_ number: Int, is report: Report?, at now: ContinuousClock.Instant) {
        state.withLock { state in
            state.reports[number] = report.map { ($0.place, now) }
            guard let report else { return state.judge(number, .unknown) }
            if let primary = state.primary, primary.cluster != report.cluster { state.judge(number, .strays) }
            if case .doubtful(let place) = state.standings[number], place <= report.place {
                state.standings[number] = .follows
            }
            guard case .follows = state.standings[number] else { return }
            state.all[number].lag = state.places.last { $0.place <= report.place }.map { now - $0.at }
        }
    }

    /// A connection to a replica has failed. Nobody asks it before it has said once more how far it is.
    func lose(_ number: Int) { state.withLock { $0.all[number].lag = nil } }

    func countRead(of number: Int) { state.withLock { $0.all[number].reads += 1 } }
}

extension Replicas.State {
    /// Only one that follows is asked.
    fileprivate mutating func judge(_ number: Int, _ standing: Replicas.Standing) {
        standings[number] = standing
        all[number].lag = nil
    }
}
