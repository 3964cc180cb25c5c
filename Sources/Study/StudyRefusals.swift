import API
import HTTP

/// What the study clock and a user's own record refuse.
package struct StudyRefusals: Refusals {
    /// A second start.
    let timerAlreadyRunning = Refusal(
        .conflict, "timer_already_running", ko: "타이머가 이미 켜져 있어요.", en: "A timer is running already.")
    let timerNotRunning = Refusal(
        .conflict, "timer_not_running", on: "timer_not_running", ko: "켜져 있는 타이머가 없어요.", en: "No timer is running.")
    let timerNotPaused = Refusal(
        .conflict, "timer_not_paused", on: "timer_not_paused",
        ko: "쉬고 있는 타이머가 없어요. 다른 곳에서 끝냈거나 다시 켰을 수 있어요.",
        en: "No timer is paused. It may have been finished or resumed elsewhere.")
    /// A session cannot be taken back while its timer still writes it.
    let timerStillRunning = Refusal(
        .conflict, "timer_still_running", on: "timer_still_running",
        ko: "타이머를 먼저 끝내 주세요.", en: "Finish the timer first.")
    /// The stretch is taken by a forgotten timer whose end is not confirmed.
    let unconfirmedTimer = Refusal(
        .conflict, "unconfirmed_timer", on: "unconfirmed_timer",
        ko: "그 시간에는 \(RuleNumber.longestIntervalHours)시간을 넘긴 타이머가 있어요. 언제 끝냈는지 먼저 알려 주세요.",
        en: "A timer that was forgotten covers this time. First say when you really finished."
    )
    let notUnconfirmed = Refusal(
        .conflict, "not_unconfirmed", on: "not_unconfirmed",
        ko: "이 공부는 끝난 시각이 이미 정해져 있어요.", en: "The end of this session does not need to be confirmed.")
    /// Starts or ends in the future. If the client's clock is only slightly ahead, the time is cut to now instead.
    let inTheFuture = Refusal(
        .unprocessable, "in_the_future", on: "in_the_future", field: "ended_at",
        ko: "아직 오지 않은 시간이에요.", en: "This time has not come yet.")
    /// Began longer ago than study may be logged.
    let tooOld = Refusal(
        .unprocessable, "too_old", on: "too_old", field: "started_at",
        ko: "\(RuleNumber.loggingWindowHours)시간이 지난 공부는 입력할 수 없어요.",
        en: "Study can be added for \(RuleNumber.loggingWindowHours) hours after it began. This began earlier.")
    /// Longer than the longest interval.
    let tooLong = Refusal(
        .unprocessable, "too_long", on: "too_long", field: "ended_at",
        ko: "쉬지 않은 공부는 \(RuleNumber.longestIntervalHours)시간까지예요.",
        en: "Without a pause, study lasts at most \(RuleNumber.longestIntervalHours) hours.")
    /// Ends where it starts, or before.
    let emptyInterval = Refusal(
        .unprocessable, "empty_interval", on: "empty_interval", field: "ended_at",
        ko: "끝은 시작보다 뒤여야 해요.", en: "The end must come after the start.")
    /// Shares time with an interval that is there already.
    let overlappingInterval = Refusal(
        .conflict, "overlapping_interval", on: "study_intervals_no_overlap", field: "started_at",
        ko: "다른 공부와 시간이 겹쳐요.", en: "This overlaps other study.")
    /// The same where it is known which, such as `14:00 – 15:20`.
    let overlappingStretch = Refusal(
        .conflict, "overlapping_interval", ko: "{} 공부와 겹쳐요. 시작이나 끝을 바꿔 주세요.",
        en: "This overlaps {}. Change the start or the end.")
    /// The same where it still runs since, such as `14:00`.
    let overlappingTimer = Refusal(
        .conflict, "overlapping_interval", ko: "{}부터 타이머가 켜져 있어요. 끝을 그보다 늦지 않게 골라 주세요.",
        en: "Your timer has been running since {}. Choose an end no later than that.")
    /// One of the months it would change is final.
    let monthClosed = Refusal(
        .conflict, "month_closed", on: "month_closed",
        ko: "그달의 순위가 이미 확정되어 바꿀 수 없어요.", en: "That month is final; nothing in it can change any more.")
    let sessionNotFound = Refusal(
        .notFound, "not_found", on: "session_not_found", ko: "그런 공부 기록이 없어요.", en: "There is no such session.")
    /// It ended longer ago than study may be logged, and is changed or taken back no more.
    let sessionTooOld = Refusal(
        .unprocessable, "too_old", on: "session_too_old",
        ko: "끝난 지 \(RuleNumber.loggingWindowHours)시간이 지난 기록은 수정하거나 삭제할 수 없어요.",
        en: "A session can be changed or deleted for \(RuleNumber.loggingWindowHours) hours after its end.")
    /// The client's id names a session that was taken back; a new one needs a new id.
    let sessionRetracted = Refusal(
        .conflict, "session_retracted", on: "session_retracted", field: "id",
        ko: "이 기록은 삭제됐어요.", en: "This session was deleted.")
    /// Nobody's, or another's.
    let unknownSubject = Refusal(
        .unprocessable, "unknown_subject", on: "study_sessions_subject", field: "subject_id",
        ko: "그런 과목이 없어요.", en: "There is no such subject.")
    let unknownTask = Refusal(
        .unprocessable, "unknown_task", on: "study_sessions_task", field: "task_id",
        ko: "그런 할 일이 없어요.", en: "There is no such task.")
    let invalidGoal = Refusal(
        .unprocessable, "invalid_goal", on: "study_sessions_goal_seconds", field: "goal_seconds",
        ko: "목표는 1초에서 24시간 사이여야 해요.", en: "A goal is between 1 second and 24 hours.")
    let invalidNote = Refusal(
        .unprocessable, "invalid_note", on: "study_sessions_note", field: "note",
        ko: "메모는 2000자까지 쓸 수 있어요.", en: "A note has at most 2000 characters.")
    let invalidSource = Refusal(
        .unprocessable, "invalid_source", field: "source",
        ko: "source는 manual이나 import예요.", en: "The source is manual or import.")
    let invalidDay = Refusal(
        .unprocessable, "invalid_day", ko: "날짜는 2026-11-21처럼 적어 주세요.", en: "Write a day like 2026-11-21.")
    /// Of the first and the last day.
    let invalidDays = Refusal(
        .unprocessable, "invalid_day", ko: "날짜는 2026-11-21처럼 적고, \(RuleNumber.mostDaysAtOnce)일 안에서 골라 주세요.",
        en: "Write days like 2026-11-21, the first before the last, at most \(RuleNumber.mostDaysAtOnce) of them.")
    /// The same where there may be any number of days.
    let invalidDaysOfMany = Refusal(
        .unprocessable, "invalid_day", ko: "날짜는 2026-11-21처럼, 시작이 끝보다 앞서게 적어 주세요.",
        en: "Write days like 2026-11-21, the first before the last.")
    let bothForms = Refusal(
        .unprocessable, "both_forms", ko: "시작과 끝, 또는 intervals 중 하나만 보내 주세요.",
        en: "Send either a start and an end or intervals, not both.")
    let wrongNumberOfIntervals = Refusal(
        .unprocessable, "invalid_intervals", field: "intervals",
        ko: "intervals는 1~100개예요.", en: "Send 1 to 100 intervals.")
    let wrongNumberOfSessions = Refusal(
        .unprocessable, "invalid_sessions", field: "sessions",
        ko: "한 번에 기록 1~200개, 모두 합쳐 intervals 1000개까지 보낼 수 있어요.",
        en: "Send 1 to 200 sessions at once, with at most 1000 intervals in all.")
}

extension Refusal {
    package static let study = StudyRefusals()

    var isOverlap: Bool { code == Refusal.study.overlappingInterval.code }
}
