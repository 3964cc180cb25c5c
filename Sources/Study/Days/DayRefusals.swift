import API
import HTTP

/// What the personal calendar refuses.
package struct DayRefusals: Refusals {
    let invalidMonth = Refusal(
        .unprocessable, "invalid_month", field: "month", ko: "달은 2026-11처럼 적어 주세요.", en: "Write a month like 2026-11.")
    let invalidYear = Refusal(
        .unprocessable, "invalid_year", field: "year", ko: "해는 2026처럼 적어 주세요.", en: "Write a year like 2026.")
    let monthAndYear = Refusal(
        .unprocessable, "both_forms", field: "year",
        ko: "month와 year 중 하나만 보내 주세요.", en: "Send either a month or a year, not both.")
    /// A rest day that is over; today is not.
    let notInTheFuture = Refusal(
        .unprocessable, "not_in_the_future", on: "not_in_the_future", field: "day",
        ko: "쉬는 날은 오늘부터 정할 수 있어요.", en: "A rest day is today or a day to come.")
    let tooFarAhead = Refusal(
        .unprocessable, "too_far_ahead", on: "too_far_ahead", field: "day",
        ko: "쉬는 날은 \(RuleNumber.restDaysAhead)일 뒤까지 정할 수 있어요.",
        en: "A rest day is planned at most \(RuleNumber.restDaysAhead) days ahead.")
    /// The limit of rest days in that month is reached.
    let tooManyRestDays = Refusal(
        .unprocessable, "too_many_rest_days", on: "too_many_rest_days", field: "day",
        ko: "쉬는 날은 한 달에 \(RuleNumber.restDaysAMonth)일까지예요.",
        en: "A month has at most \(RuleNumber.restDaysAMonth) rest days.")
    let restDayNotFound = Refusal(
        .notFound, "not_found", on: "rest_day_not_found",
        ko: "쉬는 날로 정한 날이 아니에요.", en: "No rest is planned on that day.")
    /// Neither today's perfect ant nor yesterday's.
    let announcedTooLate = Refusal(
        .unprocessable, "not_today", on: "not_today", field: "day",
        ko: "오늘이나 어제의 퍼펙트 개미만 알릴 수 있어요.", en: "Only today's or yesterday's perfect ant is announced.")
    /// Another device has already announced it.
    let alreadyAnnounced = Refusal(
        .conflict, "already_announced", on: "already_announced",
        ko: "이날의 퍼펙트 개미는 이미 알렸어요.", en: "That day's perfect ant has already been announced.")
}

extension Refusal {
    package static let days = DayRefusals()
}
