import Postgres
import Time

/// An interval that a session has or had.
package struct HistoryEntry: Sendable, Encodable {
    package let intervalID: ID
    package let startedAt: Instant
    /// nil while it runs.
    package let endedAt: Instant?
    package let seconds: Int
    package let source: Source
    package let unconfirmed: Bool
    package let recordedAt: Instant
    /// When it was retracted; nil if it counts.
    package let retractedAt: Instant?
}

/// What became of a draft that was not refused.
package enum Recording: Sendable {
    case new
    /// Its id was recorded before; that session stayed as it was.
    case before
}

/// How study came to be recorded.
package enum Source: String, Sendable, Codable, PostgresDecodable {
    /// Measured by the server.
    case timer
    /// Written down afterwards.
    case manual
    /// Brought from elsewhere: counts in the personal calendar, on no board.
    case `import`
}

/// The time from one instant up to another.
package struct Stretch: Sendable, Hashable, Encodable {
    package let startedAt: Instant
    /// nil while it runs.
    package let endedAt: Instant?

    package init(startedAt: Instant, endedAt: Instant?) {
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}
