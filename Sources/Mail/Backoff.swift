/// When to try again after a failure: each wait `factor` times the one before, somewhat random, so that retries spread.
package struct Backoff: Sendable {
    package let first: Duration
    package let factor: Double
    private let jitter = 0.2
    /// A mail that failed this often is given up.
    package let attempts: Int
    /// The same for a mail that the server refused for good; more than one, since servers are wrong at times.
    package let refusals = 3

    /// The defaults try twelve times within about a day: after 5 s, 12 s, 31 s … 5 h, 13 h.
    package init(first: Duration = .seconds(5), factor: Double = 2.5, attempts: Int = 12) {
        self.first = first
        self.factor = factor
        self.attempts = attempts
    }

    /// The wait after the given attempt (1…).
    package func delay(after attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var scale = Double.random(in: (1 - jitter)...(1 + jitter), using: &random)
        for _ in 1..<max(attempt, 1) { scale *= factor }
        return .seconds(first / .seconds(1) * scale)
    }
}
