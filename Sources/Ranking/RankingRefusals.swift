import API
import Groups
import HTTP

/// What boards and standings refuse.
package struct RankingRefusals: Refusals {
    /// No such group, or the reader is not in it.
    let groupNotFound = Refusal(
        .notFound, "not_found", on: "group_not_found",
        ko: "그런 모임이 없거나, 볼 수 없는 모임이에요.", en: "There is no such group, or it is not for you to see.")
    /// Nobody of this UID is or was in the group.
    let memberNotFound = Refusal(
        .notFound, "not_found", on: "member_not_found",
        ko: "이 모임에 그런 사람은 없어요.", en: "There is no such person in this group.")
    /// The member keeps their calendar to themselves.
    let daysNotShown = Refusal(
        .forbidden, "days_not_shown", on: "days_not_shown",
        ko: "달력을 보여 주지 않는 멤버예요.", en: "This member does not show their calendar.")
    /// No closed month of this name, or not for the reader to know.
    let standingsNotFound = Refusal(
        .notFound, "not_found",
        ko: "확정된 달이 아니거나, 볼 수 없는 모임이에요.", en: "There is no such final month, or it is not for you to see.")
    let notAllowed = Refusal.groups.notAllowed
    /// Neither a day, a week's Monday nor a month.
    let invalidPeriod = Refusal(
        .unprocessable, "invalid_period",
        ko: "period는 day, week, month 중 하나이고, at은 2026-11-21, 월요일, 2026-11처럼 적어요.",
        en: "The period is day, week or month; write at like 2026-11-21, a Monday, or 2026-11.")
    let invalidBadgePeriod = Refusal(
        .unprocessable, "invalid_period", field: "period",
        ko: "period는 day, week, month 중 하나예요.", en: "The period is day, week or month.")
    /// A board that has only months was asked for another period.
    let notMonthly = Refusal(
        .unprocessable, "invalid_period",
        ko: "이 순위는 달마다 있어요. period는 month만 되고, at은 2026-11처럼 적어요.",
        en: "This board is by month: the only period is month, and at is written like 2026-11.")
    let invalidOrder = Refusal(
        .unprocessable, "invalid_order", field: "order",
        ko: "order는 \(orderNames) 중 하나예요.", en: "The order is one of \(orderNames).")
    let futurePeriod = Refusal(
        .unprocessable, "future_period", field: "at", ko: "아직 시작하지 않은 기간이에요.", en: "This period has not begun.")
    let invalidMonth = Refusal(
        .unprocessable, "invalid_month", field: "month", ko: "달은 2026-11처럼 적어 주세요.", en: "Write a month like 2026-11.")
    let futureMonth = Refusal(
        .unprocessable, "future_period", on: "future_month", field: "month",
        ko: "아직 시작하지 않은 기간이에요.", en: "This period has not begun.")
    let futureInstant = Refusal(
        .unprocessable, "future_instant", on: "future_instant", field: "as_of",
        ko: "아직 오지 않은 시각이에요.", en: "This time has not come yet.")
    /// Only boards of groups are kept as they were known.
    let noPastOfEveryone = Refusal(
        .unprocessable, "no_past_board", field: "as_of",
        ko: "전체 순위는 지난 시점으로 볼 수 없어요.", en: "The global board cannot be shown as of an earlier time.")
    let instantBeforePeriod = Refusal(
        .unprocessable, "instant_before_period", on: "instant_before_period", field: "as_of",
        ko: "그때는 이 기간이 시작하기 전이었어요.", en: "The period had not begun then.")
    /// Only what is final can be amended; until then a session is corrected.
    let monthNotClosed = Refusal(
        .conflict, "month_not_closed", on: "month_not_closed", ko: "아직 확정되지 않은 달이에요. 기록을 바로 고칠 수 있어요.",
        en: "This month is not final yet. The session itself can be corrected.")
    let invalidReason = Refusal(
        .unprocessable, "invalid_reason", on: "amendments_reason", field: "reason",
        ko: "이유를 500자 안으로 한 줄에, 보이지 않는 글자 없이 적어 주세요.",
        en: "Give a reason of 1 to 500 characters in one line, none of them invisible.")
    let invalidSeconds = Refusal(
        .unprocessable, "invalid_seconds", on: "amendments_seconds", field: "seconds",
        ko: "시간은 0초에서 31일 사이예요.", en: "The seconds lie between 0 and 31 days.")
    let nothingChanged = Refusal(
        .unprocessable, "nothing_changed", on: "amendments_change", field: "seconds",
        ko: "지금과 같은 시간이에요.", en: "That is already their time.")
    /// One person watches more boards at once than there are tabs to watch them in.
    let tooManyStreams = Refusal(
        .tooManyRequests, "too_many_streams", ko: "순위를 너무 여러 곳에서 보고 있어요. 창을 몇 개 닫아 주세요.",
        en: "You watch boards in too many places at once. Close a few windows."
    ).retry(afterSeconds: 30)
    /// A large group's past is being computed for somebody else.
    let tooManyPastBoards = Refusal(
        .tooManyRequests, "too_many_past_boards", ko: "지난 시점의 순위를 계산하고 있어요. 잠시 뒤에 다시 열어 주세요.",
        en: "A board of the past is being computed for somebody else. Ask again in a moment."
    ).retry(afterSeconds: 5)
}

private let orderNames = Leaderboard.Order.allCases.map(\.rawValue).joined(separator: ", ")

extension Refusal {
    package static let ranking = RankingRefusals()
}
