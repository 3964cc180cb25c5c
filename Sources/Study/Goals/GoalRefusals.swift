import API
import HTTP

/// What goals and dates refuse.
package struct GoalRefusals: Refusals {
    /// Less than a minute, or more than the week or the month has.
    let invalidGoal = Refusal(
        .unprocessable, "invalid_period_goal", on: "period_goals_seconds",
        ko: "목표는 1분부터 그 기간의 전체 시간까지 정할 수 있어요.",
        en: "A goal is at least a minute and at most the whole period.")
    let invalidTitle = Refusal(
        .unprocessable, "invalid_date_title", on: "target_dates_title", field: "title",
        ko: "이름은 1~40자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A name has 1 to 40 characters, none of them invisible.")
    let dateNotFound = Refusal(
        .notFound, "not_found", ko: "그런 날짜가 없어요.", en: "There is no such date.")
    let tooManyDates = Refusal(
        .unprocessable, "too_many_target_dates", on: "too_many_target_dates",
        ko: "디데이는 \(RuleNumber.mostTargetDates)개까지 둘 수 있어요. 하나를 삭제하고 다시 해 주세요.",
        en: "You can count down to \(RuleNumber.mostTargetDates) dates. Delete one first.")
}

extension Refusal {
    package static let goals = GoalRefusals()
}
