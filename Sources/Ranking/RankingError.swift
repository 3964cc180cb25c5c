import HTTP
import Postgres

/// What a board refuses to show.
package enum RankingError: ResponseError, Equatable {
    /// No such group, or the reader is not in it.
    case groupNotFound
    /// Neither a day, a week's Monday nor a month.
    case invalidPeriod(field: String)
    /// A board has no such order.
    case invalidOrder
    /// The period has not begun.
    case futurePeriod
    /// `month` is none, or has not begun.
    case invalidMonth, futureMonth
    /// `as_of` is not a time in whole seconds.
    case invalidInstant
    /// `as_of` lies ahead.
    case futureInstant
    /// At the instant `as_of` the period had not begun.
    case instantBeforePeriod
    /// Nobody of this UID is or was in the group.
    case memberNotFound
    /// Another's number opens to admins only.
    case needsAdmin
    /// No closed month of this name, or not for the reader to know.
    case standingsNotFound
    /// Only what is final can be amended; until then a session is corrected.
    case monthNotClosed
    case invalidReason
    /// Not between 0 and the seconds of 31 days.
    case invalidSeconds
    /// An amendment to what holds already.
    case nothingChanged
    /// One person watches more boards at once than there are tabs to watch them in.
    case tooManyStreams
    /// A large group's past is being computed for somebody else.
    case tooManyPastBoards

    package var status: Status {
        switch self {
        case .groupNotFound, .memberNotFound, .standingsNotFound: .notFound
        case .needsAdmin: .forbidden
        case .monthNotClosed: .conflict
        case .invalidPeriod, .invalidOrder, .futurePeriod, .invalidMonth, .futureMonth, .invalidInstant, .futureInstant,
            .instantBeforePeriod, .invalidReason,
            .invalidSeconds, .nothingChanged:
            .unprocessable
        case .tooManyStreams, .tooManyPastBoards: .tooManyRequests
        }
    }

    package var code: String {
        switch self {
        case .groupNotFound, .memberNotFound, .standingsNotFound: "not_found"
        case .needsAdmin: "needs_admin"
        case .monthNotClosed: "month_not_closed"
        case .invalidReason: "invalid_reason"
        case .invalidSeconds: "invalid_seconds"
        case .nothingChanged: "nothing_changed"
        case .invalidPeriod: "invalid_period"
        case .invalidOrder: "invalid_order"
        case .futurePeriod, .futureMonth: "future_period"
        case .invalidMonth: "invalid_month"
        case .invalidInstant: "invalid_time"
        case .futureInstant: "future_instant"
        case .instantBeforePeriod: "instant_before_period"
        case .tooManyStreams: "too_many_streams"
        case .tooManyPastBoards: "too_many_past_boards"
        }
    }

    package var field: String? {
        switch self {
        case .groupNotFound, .memberNotFound, .needsAdmin, .standingsNotFound, .monthNotClosed, .tooManyStreams,
            .tooManyPastBoards:
            nil
        case .invalidReason: "reason"
        case .invalidSeconds, .nothingChanged: "seconds"
        case .invalidPeriod(let field): field
        case .invalidOrder: "order"
        case .futurePeriod: "at"
        case .invalidMonth, .futureMonth: "month"
        case .invalidInstant, .futureInstant, .instantBeforePeriod: "as_of"
        }
    }

    package var headers: [(String, String)] {
        switch self {
        case .tooManyStreams: [("Retry-After", "30")]
        case .tooManyPastBoards: [("Retry-After", "5")]
        default: []
        }
    }

    package var detail: Localized {
        switch self {
        case .groupNotFound:
            Localized(ko: "그런 모임이 없거나, 볼 수 없는 모임이에요.", en: "There is no such group, or it is not for you to see.")
        case .memberNotFound:
            Localized(ko: "이 모임에 그런 사람은 없어요.", en: "There is no such person in this group.")
        case .standingsNotFound:
            Localized(
                ko: "확정된 달이 아니거나, 볼 수 없는 모임이에요.", en: "There is no such closed month, or it is not for you to see.")
        case .monthNotClosed:
            Localized(
                ko: "아직 확정되지 않은 달이에요. 기록을 바로 고칠 수 있어요.",
                en: "This month is not final yet. The session itself can be corrected.")
        case .invalidReason:
            Localized(ko: "까닭을 500자 안으로 적어 주세요.", en: "Give a reason of 1 to 500 characters.")
        case .invalidSeconds:
            Localized(ko: "시간은 0초에서 31일 사이예요.", en: "The seconds lie between 0 and 31 days.")
        case .nothingChanged:
            Localized(ko: "지금과 같은 시간이에요.", en: "That is what it is already.")
        case .needsAdmin:
            Localized(ko: "모임 관리자만 볼 수 있어요.", en: "Only admins of the group may see this.")
        case .invalidPeriod:
            Localized(
                ko: "period는 day, week, month 중 하나이고, at은 2026-11-21, 월요일, 2026-11처럼 적어요.",
                en: "The period is day, week or month; write at like 2026-11-21, a Monday, or 2026-11.")
        case .invalidOrder:
            Localized(
                ko: "order는 seconds, goal, consistency 중 하나예요.", en: "The order is seconds, goal or consistency.")
        case .invalidInstant:
            Localized(
                ko: "시각은 2026-11-21T05:00:00Z처럼 초까지 적어요.",
                en: "Write the time in whole seconds, like 2026-11-21T05:00:00Z.")
        case .futureInstant:
            Localized(ko: "아직 오지 않은 시각이에요.", en: "This instant lies ahead.")
        case .instantBeforePeriod:
            Localized(ko: "그때는 이 기간이 시작하기 전이었어요.", en: "At that instant the period had not begun.")
        case .tooManyStreams:
            Localized(
                ko: "순위를 너무 여러 곳에서 보고 있어요. 창을 몇 개 닫아 주세요.",
                en: "You watch boards in too many places at once. Close a few windows.")
        case .tooManyPastBoards:
            Localized(
                ko: "지난 시각의 순위를 다른 사람에게 계산해 주고 있어요. 잠시 뒤에 다시 열어 주세요.",
                en: "A board of the past is being computed for somebody else. Ask again in a moment.")
        case .invalidMonth:
            Localized(ko: "달은 2026-11처럼 적어 주세요.", en: "Write a month like 2026-11.")
        case .futurePeriod, .futureMonth:
            Localized(ko: "아직 시작하지 않은 기간이에요.", en: "This period has not begun.")
        }
    }
}

extension RankingError {
    /// Runs `body` and gives what the schema refuses its name.
    static func naming<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError {
            switch error.constraint {
            case "future_month": throw RankingError.futureMonth
            case "future_instant": throw RankingError.futureInstant
            case "instant_before_period": throw RankingError.instantBeforePeriod
            case "month_not_closed": throw RankingError.monthNotClosed
            case "amendments_reason": throw RankingError.invalidReason
            case "amendments_seconds": throw RankingError.invalidSeconds
            case "amendments_change": throw RankingError.nothingChanged
            case "group_not_found": throw RankingError.groupNotFound
            case "member_not_found": throw RankingError.memberNotFound
            case "needs_admin", "needs_owner": throw RankingError.needsAdmin
            default: throw error
            }
        }
    }
}
