import API
import HTTP
import Postgres

/// What a timer is started with: all of it may be left out, then it is a stopwatch.
struct TimerStart: Sendable {
    let subjectID: ID?
    let taskID: ID?
    /// The goal in seconds; makes the timer a countdown.
    let goalSeconds: Int?
    /// Makes it a cycle.
    let plan: Plan?
    let note: String?

    init(_ request: Request) throws {
        let fields = try request.json("subject_id", "task_id", "goal_seconds", "plan", "note")
        subjectID = try fields.optionalUUID("subject_id")
        taskID = try fields.optionalUUID("task_id")
        goalSeconds = try fields.optionalInt("goal_seconds")
        if let goalSeconds, !(1...86_400).contains(goalSeconds) { throw Refusal.study.invalidGoal }
        plan = try fields.optionalObject("plan", Plan.fields).map(Plan.init)
        note = try fields.optionalString("note")
    }
}
