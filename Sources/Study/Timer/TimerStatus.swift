import HTTP
import Postgres
import Time

/// The one timer of a user as the server sees it at `serverTime`.
package struct TimerStatus: Sendable, Encodable {
    package enum State: String, Sendable, Encodable, PostgresDecodable {
        case idle, running, paused
    }

    /// The session the timer is writing.
    package struct Session: Sendable, Encodable {
        package let id: ID
        package let startedAt: Instant
        /// Since when it runs without a pause; nil while it is paused.
        package let runningSince: Instant?
    }

    /// Where a timer with a plan is: it works while it runs and rests while it is paused, and never turns by itself.
    package struct Phase: Sendable, Encodable {
        package enum Kind: String, Sendable, Encodable {
            case work, rest
        }

        package let kind: Kind
        /// 1 for the first of its kind.
        package let number: Int
        package let startedAt: Instant
        package let elapsedSeconds: Int
        package let remainingSeconds: Int
        /// Seconds past its length.
        package let extraSeconds: Int
        package let lengthSeconds: Int

        init(_ plan: Plan, working: Bool, number: Int, startedAt: Instant, now: Instant) {
            kind = working ? .work : .rest
            self.number = number
            self.startedAt = startedAt
            lengthSeconds = working ? plan.workSeconds : plan.restSeconds
            elapsedSeconds = max(0, now - startedAt)
            remainingSeconds = max(0, lengthSeconds - elapsedSeconds)
            extraSeconds = max(0, elapsedSeconds - lengthSeconds)
        }
    }

    /// What it was started with, which its session keeps.
    package struct Purpose: Sendable {
        package let subjectID: ID?
        package let taskID: ID?
        package let goalSeconds: Int?
        package let plan: Plan?
        package let note: String?

        static let none = Purpose(subjectID: nil, taskID: nil, goalSeconds: nil, plan: nil, note: nil)
    }

    package let state: State
    package let session: Session?
    package let subjectID: ID?
    package let taskID: ID?
    package let note: String?
    /// The session's seconds so far, pauses left out.
    package let elapsedSeconds: Int
    package let goalSeconds: Int?
    package let remainingSeconds: Int?
    /// What lies beyond the goal.
    package let extraSeconds: Int?
    package let plan: Plan?
    /// nil without a plan.
    package let phase: Phase?
    package let serverTime: Instant

    init(
        state: State, session: Session?, _ purpose: Purpose, elapsedSeconds: Int, phase: Phase?, serverTime: Instant
    ) {
        self.state = state
        self.session = session
        subjectID = purpose.subjectID
        taskID = purpose.taskID
        note = purpose.note
        self.elapsedSeconds = elapsedSeconds
        goalSeconds = purpose.goalSeconds
        remainingSeconds = purpose.goalSeconds.map { max(0, $0 - elapsedSeconds) }
        extraSeconds = purpose.goalSeconds.map { max(0, elapsedSeconds - $0) }
        plan = purpose.plan
        self.phase = phase
        self.serverTime = serverTime
    }
}
