import Foundation
import HTTP
import Postgres

/// The one timer of a user as the server sees it at `serverTime`.
package struct TimerStatus: Sendable, Encodable {
    package enum State: String, Sendable, Encodable, PostgresDecodable {
        case idle, running, paused
    }

    /// The session the timer is writing.
    package struct Session: Sendable, Encodable {
        package let id: UUID
        package let startedAt: Instant
        /// Since when it runs without a pause; nil while it is paused.
        package let runningSince: Instant?
    }

    package let state: State
    package let session: Session?
    /// The session's seconds so far, pauses left out.
    package let elapsedSeconds: Int
    package let goalSeconds: Int?
    package let remainingSeconds: Int?
    /// What lies beyond the goal.
    package let extraSeconds: Int?
    package let serverTime: Instant

    package init(state: State, session: Session?, elapsedSeconds: Int, goalSeconds: Int?, serverTime: Instant) {
        self.state = state
        self.session = session
        self.elapsedSeconds = elapsedSeconds
        self.goalSeconds = goalSeconds
        remainingSeconds = goalSeconds.map { max(0, $0 - elapsedSeconds) }
        extraSeconds = goalSeconds.map { max(0, elapsedSeconds - $0) }
        self.serverTime = serverTime
    }
}
