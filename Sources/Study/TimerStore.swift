import Foundation
import Postgres

/// The timer in the database, which alone knows what time it is.
struct TimerStore: Sendable {
    let database: Database

    func state(of uid: UUID) async throws -> TimerStatus {
        let rows = try await database.read("SELECT * FROM timer_state(\(uid))")
        return try Self.status(rows[0])
    }

    /// Starts a session; throws `timer_already_running` with the one that is there.
    func start(_ uid: UUID, goalSeconds: Int?) async throws -> TimerStatus {
        let rows = try await StudyError.naming {
            try await database.write("SELECT * FROM start_timer(\(uid), NULL, NULL, \(goalSeconds), NULL, NULL)")
        }
        let status = try Self.status(rows[0])
        guard try rows[0]["started"] else { throw StudyError.timerAlreadyRunning(status) }
        return status
    }

    func pause(_ uid: UUID) async throws -> TimerStatus {
        try await StudyError.naming {
            let rows = try await database.write("SELECT * FROM pause_timer(\(uid))")
            return try Self.status(rows[0])
        }
    }

    func resume(_ uid: UUID) async throws -> TimerStatus {
        try await StudyError.naming {
            let rows = try await database.write("SELECT * FROM resume_timer(\(uid))")
            return try Self.status(rows[0])
        }
    }

    /// Ends the session; answers its id and the ants it earned.
    func stop(_ uid: UUID) async throws -> (session: UUID, earned: StopResult.Earned) {
        try await StudyError.naming {
            let rows = try await database.write(
                "SELECT session_id, earned_study, earned_perfect FROM stop_timer(\(uid))")
            let (session, study, perfect) = try rows[0].decode(UUID.self, Bool.self, Bool.self)
            return (session, StopResult.Earned(study: study, perfect: perfect))
        }
    }

    /// Ends the session and takes back what it recorded.
    func cancel(_ uid: UUID) async throws {
        try await StudyError.naming { _ = try await database.write("SELECT cancel_timer(\(uid))") }
    }

    private static func status(_ row: Row) throws -> TimerStatus {
        var session: TimerStatus.Session?
        if let id: UUID = try row["session_id"] {
            session = TimerStatus.Session(
                id: id, startedAt: try row["started_at"], runningSince: try row["running_since"])
        }
        return TimerStatus(
            state: try row["state"], session: session, elapsedSeconds: try row["elapsed_seconds"],
            goalSeconds: try row["goal_seconds"], serverTime: try row["server_time"])
    }
}
