@testable import Postgres
import Testing

@Suite struct ServerSettingsTests {
    @Test(arguments: [(100, 4, 8), (13, 4, 8), (12, 4, 7), (9, 4, 4), (8, 3, 4), (7, 3, 3), (4, 1, 2), (3, 1, 1)])
    func `lanes give way evenly where connections are few`(connections: Int, write: Int, transaction: Int) throws {
        let lanes = try #require(Database.Lanes.standard.fitting(into: connections))
        #expect(lanes.write == write && lanes.transaction == transaction)
    }

    @Test func `without a connection for each kind there is no start`() {
        #expect(Database.Lanes.standard.fitting(into: 2) == nil)
    }
}
