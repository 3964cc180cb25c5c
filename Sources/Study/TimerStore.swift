import Foundation
import Postgres

/// The timer in the database, which alone knows what time it is.
struct TimerStore: Sendable {
    let database: Database

    func state(of uid: UUID) async throws -> TimerStatus {
        let rows = try await database.read(
            """
            SELECT state, session_id, started_at, running_since, elapsed_seconds, goal_seconds, server_time
            FROM timer_state(\(uid))
            """)
        return try Self.status(rows[0])
    }

    /// Starts a session; throws `timer_already_running` with the one that is there.
    func start(_ uid: UUID, goalSeconds: Int?) async throws -> TimerStatus {
        let rows = try await StudyError.naming {
            try await database.write(
                """
                SELECT state, session_id, started_at, running_since, elapsed_seconds, goal_seconds, server_time, started
                FROM start_timer(\(uid), NULL, NULL, \(goalSeconds), NULL, NULL)
                """)
        }
        let status = try Self.status(rows[0])
        guard try rows[0]["started"] else { throw StudyError.timerAlreadyRunning(status) }
        return status
    }

    func pause(_ uid: UUID) async throws -> TimerStatus {
        try await StudyError.naming {
            let rows = try await database.write(
                """
                SELECT state, session_id, started_at, running_since, elapsed_seconds, goal_seconds, server_time
                FROM pause_timer(\(uid))
                """)
            return try Self.status(rows[0])
        }
    }

    func resume(_ uid: UUID) async throws -> TimerStatus {
        try await StudyError.naming {
            let rows = try await database.write(
                """
                SELECT state, session_id, started_at, running_since, elapsed_seconds, goal_seconds, server_time
                FROM resume_timer(\(uid))
                """)
            return try Self.status(rows[0])
        }
    }

    /// Ends the session; answers its id and whether this very stop met the day's goal.
    func stop(_ uid: UUID) async throws -> (session: UUID, earnedStudy: Bool) {
        try await StudyError.naming {
            let rows = try await database.write("SELECT session_id, earned_study FROM stop_timer(\(uid))")
            return try rows[0].decode(UUID.self, Bool.self)
        }
    }

    /// Ends the session and takes back what it recorded.
    func cancel(_ uid: UUID) async throws {
        try await StudyError.naming { _ = try await database.write("SELECT cancel_timer(\(uid))") }
    }

    private static func status(_ row: Row) throws -> TimerStatus {
        let (state, id, startedAt, runningSince, elapsed, goal, now) = try row.decode(
            TimerStatus.State.self, UUID?.self, Instant?.self, Instant?.self, Int.self, Int?.self, Instant.self)
        var session: TimerStatus.Session?
        if let id, let startedAt {
            session = TimerStatus.Session(id: id, startedAt: startedAt, runningSince: runningSince)
        }
        return TimerStatus(
            state: state, session: session, elapsedSeconds: elapsed, goalSeconds: goal, serverTime: now)
    }
}
