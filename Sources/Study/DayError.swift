import API
import HTTP
import Postgres

/// What the personal calendar refuses.
package enum DayError: ResponseError, Equatable {
    case invalidMonth
    case invalidYear
    /// Both were named.
    case monthAndYear
    /// A rest day that is over; today is not.
    case notInTheFuture
    /// Further ahead than rest days are planned.
    case tooFarAhead
    /// As many rest days of that month are planned as a month has.
    case tooManyRestDays
    case restDayNotFound
    /// Neither today's perfect ant nor yesterday's.
    case announcedTooLate
    /// Some device has told of it.
    case alreadyAnnounced

    package var status: Status {
        switch self {
        case .restDayNotFound: .notFound
        case .alreadyAnnounced: .conflict
        default: .unprocessable
        }
    }

    package var code: String {
        switch self {
        case .invalidMonth: "invalid_month"
        case .invalidYear: "invalid_year"
        case .monthAndYear: "both_forms"
        case .notInTheFuture: "not_in_the_future"
        case .tooFarAhead: "too_far_ahead"
        case .tooManyRestDays: "too_many_rest_days"
        case .restDayNotFound: "not_found"
        case .announcedTooLate: "not_today"
        case .alreadyAnnounced: "already_announced"
        }
    }

    package var field: String? {
        switch self {
        case .invalidMonth: "month"
        case .invalidYear, .monthAndYear: "year"
        case .notInTheFuture, .tooFarAhead, .tooManyRestDays, .announcedTooLate: "day"
        case .restDayNotFound, .alreadyAnnounced: nil
        }
    }

    package var detail: Localized {
        switch self {
        case .invalidMonth:
            Localized(ko: "달은 2026-11처럼 적어 주세요.", en: "Write a month like 2026-11.")
        case .invalidYear:
            Localized(ko: "해는 2026처럼 적어 주세요.", en: "Write a year like 2026.")
        case .monthAndYear:
            Localized(ko: "month와 year 중 하나만 보내 주세요.", en: "Send either a month or a year, not both.")
        case .notInTheFuture:
            Localized(ko: "쉬는 날은 오늘부터 정할 수 있어요.", en: "A rest day is today or a day to come.")
        case .tooFarAhead:
            Localized(
                ko: "쉬는 날은 \(RuleNumber.restDaysAhead)일 뒤까지 정할 수 있어요.",
                en: "A rest day is planned at most \(RuleNumber.restDaysAhead) days ahead.")
        case .tooManyRestDays:
            Localized(
                ko: "쉬는 날은 한 달에 \(RuleNumber.restDaysAMonth)일까지예요.",
                en: "A month has at most \(RuleNumber.restDaysAMonth) rest days.")
        case .restDayNotFound:
            Localized(ko: "쉬는 날로 정한 날이 아니에요.", en: "No rest is planned on that day.")
        case .announcedTooLate:
            Localized(ko: "오늘이나 어제의 퍼펙트 개미만 알릴 수 있어요.", en: "Only today's or yesterday's perfect ant is announced.")
        case .alreadyAnnounced:
            Localized(ko: "이날의 퍼펙트 개미는 이미 알렸어요.", en: "That day's perfect ant has been told of already.")
        }
    }

    /// Runs `body` and gives what the schema refuses its name.
    static func naming(_ body: @Sendable () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as PostgresError {
            let meanings: [(prefix: String, DayError)] = [
                ("not_in_the_future", .notInTheFuture), ("too_far_ahead", .tooFarAhead),
                ("too_many_rest_days", .tooManyRestDays), ("rest_day_not_found", .restDayNotFound),
                ("not_today", .announcedTooLate), ("already_announced", .alreadyAnnounced),
            ]
            throw meanings.first { error.constraint?.hasPrefix($0.prefix) == true }?.1 ?? error
        }
    }
}
