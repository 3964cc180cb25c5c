import API
import Foundation
import HTTP
import Postgres
import Time

/// The timer in the database, which alone knows what time it is.
struct TimerStore: Sendable {
    let database: Database

    func state(of uid: ID) async throws -> TimerStatus {
        let rows = try await database.read("SELECT * FROM timer_state(\(uid))")
        return try Self.status(rows.one)
    }

    /// Starts a session; throws `timer_already_running` with the one that is there.
    func start(_ uid: ID, _ start: TimerStart) async throws -> TimerStatus {
        let plan = try start.plan?.json()
        let rows = try await Refusal.study.mapConstraints {
            try await database.write(
                """
                SELECT * FROM start_timer(
                  \(uid), \(start.subjectID), \(start.taskID), \(start.goalSeconds), \(plan), \(start.note))
                """)
        }
        let status = try Self.status(rows.one)
        guard try rows.one["started"] else { throw Refusal.study.timerAlreadyRunning.with(["timer": status]) }
        return status
    }

    func pause(_ uid: ID) async throws -> TimerStatus {
        try await change("SELECT * FROM pause_timer(\(uid))")
    }

    func resume(_ uid: ID) async throws -> TimerStatus {
        try await change("SELECT * FROM resume_timer(\(uid))")
    }

    /// Moves the start of the running timer. Time before the original start counts as added by hand.
    func move(_ uid: ID, startedAt: Instant) async throws -> TimerStatus {
        try await change("SELECT * FROM move_timer_start(\(uid), \(startedAt))", at: .only("started_at"))
    }

    /// Ends the session; answers its id and the ants it earned.
    func stop(_ uid: ID) async throws -> (session: ID, earned: StopResult.Earned) {
        try await Refusal.study.mapConstraints {
            let rows = try await database.write(
                "SELECT session_id, earned_study, earned_perfect FROM stop_timer(\(uid))")
            let (session, study, perfect) = try rows.one.decode(ID.self, Bool.self, Bool.self)
            return (session, StopResult.Earned(study: study, perfect: perfect))
        }
    }

    /// Ends the session and takes back what it recorded.
    func cancel(_ uid: ID) async throws {
        try await Refusal.study.mapConstraints { _ = try await database.write("SELECT cancel_timer(\(uid))") }
    }

    private func change(_ query: Query, at fields: TimeFields = .both) async throws -> TimerStatus {
        try await Refusal.study.mapOverlaps(renaming: fields.names) {
            try Self.status(await database.write(query).one)
        }
    }

    private static func status(_ row: Row) throws -> TimerStatus {
        let (state, now): (TimerStatus.State, Instant) = (try row["state"], try row["server_time"])
        guard let id: ID = try row["session_id"] else {
            return TimerStatus(state: state, session: nil, .none, elapsedSeconds: 0, phase: nil, serverTime: now)
        }
        let plan: String? = try row["plan"]
        let purpose = TimerStatus.Purpose(
            subjectID: try row["subject_id"], taskID: try row["task_id"], goalSeconds: try row["goal_seconds"],
            plan: try plan.map { try JSONDecoder().decode(Plan.self, from: Data($0.utf8)) }, note: try row["note"])
        return TimerStatus(
            state: state,
            session: .init(id: id, startedAt: try row["started_at"], runningSince: try row["running_since"]),
            purpose, elapsedSeconds: try row["elapsed_seconds"],
            phase: try purpose.plan.map {
                .init(
                    $0, working: state == .running, number: try row["phase_number"],
                    startedAt: try row["phase_started_at"], now: now)
            }, serverTime: now)
    }
}
