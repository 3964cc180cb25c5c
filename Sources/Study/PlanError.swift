import API
import HTTP

/// What plans refuse.
package enum PlanError: ResponseError, Equatable {
    case notFound
    case invalidName(field: String)
    /// Of work or rest: less than a minute, or more than a day with the other.
    case invalidLength(field: String)
    /// As many of one's own as one may keep are there.
    case tooMany

    package var status: Status { self == .notFound ? .notFound : .unprocessable }

    package var code: String {
        switch self {
        case .notFound: "not_found"
        case .invalidName: "invalid_plan_name"
        case .invalidLength: "invalid_plan"
        case .tooMany: "too_many_plans"
        }
    }

    package var field: String? {
        switch self {
        case .invalidName(let field), .invalidLength(let field): field
        case .notFound, .tooMany: nil
        }
    }

    /// In words for the person.
    package var detail: Localized {
        switch self {
        case .notFound: Localized(ko: "그런 이름의 계획이 없어요.", en: "There is no plan of that name.")
        case .invalidName:
            Localized(
                ko: "계획 이름은 1~50자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
                en: "A plan's name has 1 to 50 characters, none of them invisible.")
        case .invalidLength:
            Localized(
                ko: "공부와 쉬는 시간은 각각 1분 이상, 합쳐서 24시간까지예요.",
                en: "Work and rest last at least a minute each, and at most 24 hours together.")
        case .tooMany:
            Localized(
                ko: "계획은 \(RuleNumber.mostPlans)개까지 둘 수 있어요. 하나를 지우고 다시 해 주세요.",
                en: "You can keep \(RuleNumber.mostPlans) plans. Delete one first.")
        }
    }
}
