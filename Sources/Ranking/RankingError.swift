import HTTP

/// What a board refuses to show.
package enum RankingError: ResponseError, Equatable {
    /// No such group, or the reader is not in it.
    case groupNotFound
    /// Neither a day, a week's Monday nor a month.
    case invalidPeriod(field: String)
    /// The period has not begun.
    case futurePeriod

    package var status: Status {
        switch self {
        case .groupNotFound: .notFound
        case .invalidPeriod, .futurePeriod: .unprocessable
        }
    }

    package var code: String {
        switch self {
        case .groupNotFound: "not_found"
        case .invalidPeriod: "invalid_period"
        case .futurePeriod: "future_period"
        }
    }

    package var field: String? {
        switch self {
        case .groupNotFound: nil
        case .invalidPeriod(let field): field
        case .futurePeriod: "at"
        }
    }

    package var detail: Localized {
        switch self {
        case .groupNotFound:
            Localized(ko: "그런 모임이 없거나, 볼 수 없는 모임이에요.", en: "There is no such group, or it is not for you to see.")
        case .invalidPeriod:
            Localized(
                ko: "period는 day, week, month 중 하나이고, at은 2026-11-21, 월요일, 2026-11처럼 적어요.",
                en: "The period is day, week or month; write at like 2026-11-21, a Monday, or 2026-11.")
        case .futurePeriod:
            Localized(ko: "아직 시작하지 않은 기간이에요.", en: "This period has not begun.")
        }
    }
}
