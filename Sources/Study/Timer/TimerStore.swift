import API
import HTTP
import Postgres
import Time

/// The timer in the database, which alone knows what time it is. What it answers is the timer as the API writes it, by
/// `timer_json`.
struct TimerStore: Sendable {
    let database: Database

    func state(of uid: ID) async throws -> [UInt8] {
        try await database.read("SELECT timer_json(timer_state(\(uid))) AS timer").one.json("timer")
    }

    /// Starts a session; throws `timer_already_running` with the one that is there.
    func start(_ uid: ID, _ start: TimerStart) async throws -> [UInt8] {
        let plan = try start.plan?.json()
        let rows = try await Refusal.plans.mapConstraints {
            try await Refusal.study.mapConstraints {
                try await database.write([
                    """
                    SELECT started FROM start_timer(
                      \(uid), \(start.subjectID), \(start.taskID), \(start.goalSeconds), \(plan), \(start.note))
                    """,
                    "SELECT timer_json(timer_state(\(uid))) AS timer",
                ])
            }
        }
        let timer = try rows[1].one.json("timer")
        guard try rows[0].one["started"] else {
            throw Refusal.study.timerAlreadyRunning.with(["timer": JSON(text: timer) ?? .null])
        }
        return timer
    }

    func pause(_ uid: ID) async throws -> [UInt8] {
        try await change("SELECT timer_json(t) AS timer FROM pause_timer(\(uid)) t")
    }

    func resume(_ uid: ID) async throws -> [UInt8] {
        try await change("SELECT timer_json(t) AS timer FROM resume_timer(\(uid)) t")
    }

    /// Moves the start of the running timer. Time before the original start counts as added by hand.
    func move(_ uid: ID, startedAt: Instant) async throws -> [UInt8] {
        try await change(
            "SELECT timer_json(t) AS timer FROM move_timer_start(\(uid), \(startedAt)) t", at: .only("started_at"))
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

    private func change(_ query: Query, at fields: TimeFields = .both) async throws -> [UInt8] {
        try await Refusal.study.mapOverlaps(renaming: fields.names) {
            try await database.write(query).one.json("timer")
        }
    }
}
