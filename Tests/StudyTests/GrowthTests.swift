import Postgres
import Study
import TestSupport
import Testing

@Suite(.database) struct GrowthTests {
    @Test func `whole minutes decide what grows`() async throws {
        let expected: [(Int, Growth)] = [
            (0, .seed), (12_059, .seed), (12_060, .sprout), (24_659, .sprout), (24_660, .apple), (30_719, .apple),
            (30_720, .tree), (90_000, .tree),
        ]
        for (seconds, picture) in expected {
            let rows = try await TestDatabase.current.database.read("SELECT growth(\(seconds)::integer)")
            #expect(try rows[0].decode(Growth.self) == picture, "\(seconds) s")
        }
    }
}
