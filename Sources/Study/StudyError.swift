import Foundation
import HTTP
import Postgres

/// What the study clock and a user's own record refuse.
package enum StudyError: ResponseError {
    /// A second start; carries the timer that is there.
    case timerAlreadyRunning(TimerStatus)
    case timerNotRunning
    case timerNotPaused
    /// A session cannot be taken back while its timer still writes it.
    case timerStillRunning
    /// The stretch is taken by a forgotten timer whose end is not confirmed.
    case unconfirmedTimer
    case notUnconfirmed
    /// Starts or ends after now; what a client's clock may be ahead is cut, not refused.
    case inTheFuture(field: String)
    /// Began longer ago than study may be logged.
    case tooOld(field: String)
    /// Longer than the longest interval.
    case tooLong(field: String)
    /// Ends where it starts, or before.
    case emptyInterval(field: String)
    /// Shares time with an interval that is there already.
    case overlappingInterval(Overlap, field: String)
    /// One of the months it would change is final.
    case monthClosed
    case sessionNotFound
    /// It ended longer ago than study may be logged, and is changed or taken back no more.
    case sessionTooOld
    /// The client's id names a session that was taken back; a new one needs a new id.
    case sessionRetracted
    /// Nobody's, or another's.
    case unknownSubject
    case unknownTask
    case invalidGoal
    case invalidNote
    case invalidSource
    case invalidTime(field: String)
    case invalidDay(field: String)
    case bothForms(field: String)
    case wrongNumberOfIntervals
    case wrongNumberOfSessions

    package var status: Status { facts.status }
    package var code: String { facts.code }
    package var field: String? { facts.field }

    package var extra: JSONMembers? {
        switch self {
        case .timerAlreadyRunning(let timer): ["timer": timer]
        case .overlappingInterval(let overlap, _): overlap.with.map { ["overlaps": $0] }
        default: nil
        }
    }

    private var facts: (status: Status, code: String, field: String?) {
        switch self {
        case .timerAlreadyRunning: (.conflict, "timer_already_running", nil)
        case .timerNotRunning: (.conflict, "timer_not_running", nil)
        case .timerNotPaused: (.conflict, "timer_not_paused", nil)
        case .timerStillRunning: (.conflict, "timer_still_running", nil)
        case .unconfirmedTimer: (.conflict, "unconfirmed_timer", nil)
        case .notUnconfirmed: (.conflict, "not_unconfirmed", nil)
        case .inTheFuture(let field): (.unprocessable, "in_the_future", field)
        case .tooOld(let field): (.unprocessable, "too_old", field)
        case .tooLong(let field): (.unprocessable, "too_long", field)
        case .emptyInterval(let field): (.unprocessable, "empty_interval", field)
        case .overlappingInterval(_, let field): (.conflict, "overlapping_interval", field)
        case .monthClosed: (.conflict, "month_closed", nil)
        case .sessionNotFound: (.notFound, "not_found", nil)
        case .sessionTooOld: (.unprocessable, "too_old", nil)
        case .sessionRetracted: (.conflict, "session_retracted", "id")
        case .unknownSubject: (.unprocessable, "unknown_subject", "subject_id")
        case .unknownTask: (.unprocessable, "unknown_task", "task_id")
        case .invalidGoal: (.unprocessable, "invalid_goal", "goal_seconds")
        case .invalidNote: (.unprocessable, "invalid_note", "note")
        case .invalidSource: (.unprocessable, "invalid_source", "source")
        case .invalidTime(let field): (.unprocessable, "invalid_time", field)
        case .invalidDay(let field): (.unprocessable, "invalid_day", field)
        case .bothForms(let field): (.unprocessable, "both_forms", field)
        case .wrongNumberOfIntervals: (.unprocessable, "invalid_intervals", "intervals")
        case .wrongNumberOfSessions: (.unprocessable, "invalid_sessions", "sessions")
        }
    }
}

/// Which stretch is in the way, and how its owner's wall clock shows it once that is looked up.
package struct Overlap: Sendable {
    package let with: Stretch?
    /// Such as `14:00`.
    package let from: String?
    /// Such as `15:20`; nil while it runs.
    package let to: String?

    package init(with stretch: Stretch?, from: String? = nil, to: String? = nil) {
        with = stretch
        self.from = from
        self.to = to
    }
}

extension StudyError {
    /// What a refusal of the schema means here, by the name of its constraint; nil for anything else. `fields` are
    /// those of the request that are at fault where it is about times.
    init?(rule constraint: String, at fields: TimeFields = .both) {
        let (start, end) = (fields.start, fields.end)
        let meanings: [(prefix: String, StudyError)] = [
            ("timer_not_running", .timerNotRunning), ("timer_not_paused", .timerNotPaused),
            ("timer_still_running", .timerStillRunning), ("unconfirmed_timer", .unconfirmedTimer),
            ("not_unconfirmed", .notUnconfirmed), ("in_the_future", .inTheFuture(field: end)),
            ("too_old", .tooOld(field: start)), ("too_long", .tooLong(field: end)),
            ("empty_interval", .emptyInterval(field: end)), ("month_closed", .monthClosed),
            ("session_too_old", .sessionTooOld), ("session_retracted", .sessionRetracted),
            ("study_intervals_no_overlap", .overlappingInterval(Overlap(with: nil), field: start)),
            ("session_not_found", .sessionNotFound), ("study_sessions_goal_seconds", .invalidGoal),
            ("study_sessions_note", .invalidNote), ("study_sessions_subject", .unknownSubject),
            ("study_sessions_task", .unknownTask),
        ]
        guard let meaning = meanings.first(where: { constraint.hasPrefix($0.prefix) }) else { return nil }
        self = meaning.1
    }

    /// Runs `body` and gives what the schema refuses its name.
    static func naming<T: Sendable>(
        at fields: TimeFields = .both, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError {
            guard let constraint = error.constraint, let named = StudyError(rule: constraint, at: fields) else {
                throw error
            }
            throw named
        }
    }
}
