import API
import HTTP

/// What plans refuse.
package struct PlanRefusals: Refusals {
    let notFound = Refusal(
        .notFound, "not_found", ko: "그런 이름의 사이클이 없어요.", en: "There is no cycle of that name.")
    let invalidName = Refusal(
        .unprocessable, "invalid_plan_name", ko: "사이클 이름은 1~50자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A cycle's name has 1 to 50 characters, none of them invisible.")
    /// Browsers take both out of an address, and a plan is deleted by its name.
    let nameOfDots = Refusal(
        .unprocessable, "invalid_plan_name", field: "name",
        ko: "“.”과 “..”은 사이클 이름으로 쓸 수 없어요. 다른 이름을 적어 주세요.",
        en: "A cycle cannot be named “.” or “..”. Choose another name.")
    /// Of work or rest: less than a minute, or more than a day with the other.
    let invalidLength = Refusal(
        .unprocessable, "invalid_plan", on: "plans_length", "study_sessions_plan",
        ko: "공부와 쉬는 시간은 각각 1분 이상, 합쳐서 24시간까지예요.",
        en: "Study and rest last at least a minute each, and at most 24 hours together.")
    /// The limit of plans is reached.
    let tooMany = Refusal(
        .unprocessable, "too_many_plans", on: "too_many_plans",
        ko: "사이클은 \(RuleNumber.mostPlans)개까지 둘 수 있어요. 하나를 삭제하고 다시 해 주세요.",
        en: "You can keep \(RuleNumber.mostPlans) cycles. Remove one first.")
}

extension Refusal {
    package static let plans = PlanRefusals()
}
