import Testing

@testable import Postgres

@Suite struct ReplicasTests {
    private let begin = ContinuousClock.now
    private let replicas = Replicas(names: ["db2"])

    private func primary(_ place: Int, cluster: Int = 7, timeline: Int = 1, after seconds: Double) {
        replicas.primary(
            is: .init(cluster: cluster, place: place), on: timeline, at: begin + .seconds(seconds))
    }

    /// How much the replica lags that is there then.
    private func lag(_ place: Int?, cluster: Int = 7, after seconds: Double) -> Duration? {
        replicas.replica(
            0, is: place.map { .init(cluster: cluster, place: $0) }, at: begin + .seconds(seconds))
        return replicas.all[0].lag
    }

    private var isAsked: Bool { replicas.choose(for: .start, among: nil) != nil }

    /// Lets the replica follow a primary at that place.
    private func follow(_ place: Int, after seconds: Double) {
        primary(place, after: seconds)
        #expect(lag(place, after: seconds) == nil)
        primary(place, after: seconds)
        #expect(lag(place, after: seconds) == .zero && isAsked)
    }

    @Test func `a replica's lag is at most the time since the primary was at the replica's place`() {
        // Nobody has asked the primary yet.
        #expect(lag(100, after: -1) == nil && !isAsked)
        primary(100, after: 0)
        #expect(lag(100, after: 0) == .zero && isAsked)
        #expect(lag(100, after: 1) == .seconds(1) && isAsked)
        #expect(lag(99, after: 1) == nil && !isAsked)
        primary(200, after: 2)
        #expect(lag(199, after: 6) == .seconds(6) && !isAsked)
        #expect(lag(200, after: 7) == .seconds(5) && isAsked)
        #expect(lag(nil, after: 7) == nil && !isAsked)
        // What is two minutes old is forgotten.
        follow(300, after: 200)
        #expect(lag(200, after: 200) == nil)
    }

    @Test func `a replica that is ahead of the primary does not follow it, until it is started anew`() {
        follow(100, after: 0)
        // The standby that took over had less, and soon has more.
        #expect(lag(150, after: 1) == .seconds(1))
        primary(140, timeline: 2, after: 2)
        #expect(!isAsked)
        #expect(lag(150, after: 3) == nil)
        primary(145, timeline: 2, after: 3)
        primary(160, timeline: 2, after: 4)
        #expect(lag(150, after: 4) == nil && !isAsked)
        #expect(lag(nil, after: 5) == nil)
        primary(160, timeline: 2, after: 6)
        #expect(lag(160, after: 6) == nil)
        primary(160, timeline: 2, after: 7)
        #expect(lag(160, after: 7) == .zero && isAsked)
    }

    @Test func `a replica that nobody saw ahead stands still where the primary has passed it, and does not follow`() {
        primary(140, timeline: 2, after: 0)
        #expect(lag(150, after: 0.5) == nil)
        for second in 1..<10 {
            primary(150 + second, timeline: 2, after: Double(second))
            #expect(lag(150, after: Double(second) + 0.5) == nil && !isAsked)
        }
    }

    @Test func `a standby of another cluster does not follow`() {
        primary(100, after: 0)
        for second in 0..<5 {
            #expect(lag(100, cluster: 8, after: Double(second)) == nil)
            primary(100, after: Double(second))
        }
        #expect(!isAsked)
    }

    @Test func `what was written on one timeline no replica of another one has`() {
        follow(100, after: 0)
        #expect(replicas.choose(for: Position(timeline: 1, place: 5), among: nil)?.timeline == 1)
        #expect(replicas.choose(for: Position(timeline: 2, place: 5), among: nil) == nil)
        primary(100, timeline: 2, after: 1)
        // What it said before counts no more.
        #expect(!isAsked)
    }

    @Test func `who has asked one replica asks no other`() throws {
        let replicas = Replicas(names: ["db2", "db3"])
        for _ in 0..<2 {
            for number in 0..<2 { replicas.replica(number, is: .init(cluster: 7, place: 100), at: begin) }
            replicas.primary(is: .init(cluster: 7, place: 100), on: 1, at: begin)
        }
        for number in 0..<2 { replicas.replica(number, is: .init(cluster: 7, place: 100), at: begin) }
        let reading = Reading(from: .start)
        let first = try #require(reading.replica(of: replicas)).number
        for _ in 0..<20 { #expect(reading.replica(of: replicas)?.number == first) }
        reading.came(to: Position(timeline: 1, place: 70))
        reading.came(to: Position(timeline: 1, place: 60))
        #expect(reading.replica(of: replicas)?.position == Position(timeline: 1, place: 70))
        replicas.lose(first)
        #expect(reading.replica(of: replicas) == nil && Reading(from: .start).replica(of: replicas) != nil)
        reading.leaveReplica()
        replicas.replica(first, is: .init(cluster: 7, place: 100), at: begin)
        #expect(reading.replica(of: replicas) == nil && reading.position == nil)
    }

    @Test func `each host of an address is a replica`() throws {
        let session = try Session(url: "postgresql://me@db2,db3:5433/anthill", readOnly: true)
        #expect(session.standbys.map(\.name) == ["db2", "db3"])
        #expect(session.standbys.map(\.session.hostCount) == [1, 1])
        #expect(try Session(url: "postgresql://me@db2/anthill", readOnly: true).standbys.map(\.name) == ["db2"])
        let neighbours = try Session(url: "postgresql://me@db2:5433,db2,db3/anthill", readOnly: true)
        #expect(neighbours.standbys.map(\.name) == ["db2:5433", "db2:5432", "db3"])
    }
}
