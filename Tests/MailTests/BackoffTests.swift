import Testing

@testable import Mail

@Suite struct BackoffTests {
    /// Always the middle of the range.
    private struct Even: RandomNumberGenerator {
        func next() -> UInt64 { UInt64.max / 2 }
    }

    @Test func `twelve attempts take about a day`() {
        var even = Even()
        let backoff = Backoff()
        let delays = (1..<backoff.attempts).map { backoff.delay(after: $0, using: &even) }
        #expect(delays.count == 11)
        #expect(abs(delays[0] / .seconds(1) - 5) < 0.01)
        #expect(zip(delays, delays.dropFirst()).allSatisfy { abs($1 / $0 - 2.5) < 0.01 })
        let total = delays.reduce(.zero, +)
        #expect(total > .seconds(20 * 3600))
        #expect(total < .seconds(26 * 3600))
    }

    @Test func `retries spread by a fifth either way`() {
        var random = SystemRandomNumberGenerator()
        let delays = (0..<1000).map { _ in Backoff().delay(after: 1, using: &random) / .seconds(1) }
        #expect(delays.allSatisfy { (4.0...6.0).contains($0) })
        #expect((delays.max() ?? 0) - (delays.min() ?? 0) > 1)
    }
}
