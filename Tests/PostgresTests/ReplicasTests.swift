import Testing

@testable import Postgres

@Suite struct ReplicasTests {
    @Test func `a replica lags at most as long as it is ago that the primary was where the replica is`() {
        let replicas = Replicas(names: ["db2"])
        let begin = ContinuousClock.now
        func lag(at position: Position?, after seconds: Int) -> Duration? {
            replicas.replica(0, is: position, at: begin + .seconds(seconds))
            return replicas.all[0].lag
        }
        // Nobody has asked the primary yet.
        #expect(lag(at: 100, after: 0) == nil && replicas.fit == [])
        replicas.primary(was: 100, at: begin)
        #expect(lag(at: 100, after: 1) == .seconds(1) && replicas.fit == [0])
        #expect(lag(at: 99, after: 1) == nil && replicas.fit == [])
        replicas.primary(was: 200, at: begin + .seconds(2))
        #expect(lag(at: 199, after: 6) == .seconds(6) && replicas.fit == [])
        #expect(lag(at: 200, after: 7) == .seconds(5) && replicas.fit == [0])
        #expect(lag(at: nil, after: 7) == nil && replicas.fit == [])
        // What is two minutes old is forgotten.
        replicas.primary(was: 300, at: begin + .seconds(200))
        #expect(lag(at: 200, after: 200) == nil)
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
