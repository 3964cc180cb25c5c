import HTTP
import Postgres

/// What a board refuses to show.
package enum RankingError: ResponseError, Equatable {
    /// No such group, or the reader is not in it.
    case groupNotFound
    /// Neither a day, a week's Monday nor a month.
    case invalidPeriod(field: String)
    /// The period has not begun.
    case futurePeriod
    /// Nobody of this UID is or was in the group.
    case memberNotFound
    /// Another's number opens to admins only.
    case needsAdmin

    package var status: Status {
        switch self {
        case .groupNotFound, .memberNotFound: .notFound
        case .needsAdmin: .forbidden
        case .invalidPeriod, .futurePeriod: .unprocessable
        }
    }

    package var code: String {
        switch self {
        case .groupNotFound, .memberNotFound: "not_found"
        case .needsAdmin: "needs_admin"
        case .invalidPeriod: "invalid_period"
        case .futurePeriod: "future_period"
        }
    }

    package var field: String? {
        switch self {
        case .groupNotFound, .memberNotFound, .needsAdmin: nil
        case .invalidPeriod(let field): field
        case .futurePeriod: "at"
        }
    }

    package var detail: Localized {
        switch self {
        case .groupNotFound:
            Localized(ko: "그런 모임이 없거나, 볼 수 없는 모임이에요.", en: "There is no such group, or it is not for you to see.")
        case .memberNotFound:
            Localized(ko: "이 모임에 그런 사람은 없어요.", en: "There is no such person in this group.")
        case .needsAdmin:
            Localized(ko: "모임 관리자만 볼 수 있어요.", en: "Only admins of the group may see this.")
        case .invalidPeriod:
            Localized(
                ko: "period는 day, week, month 중 하나이고, at은 2026-11-21, 월요일, 2026-11처럼 적어요.",
                en: "The period is day, week or month; write at like 2026-11-21, a Monday, or 2026-11.")
        case .futurePeriod:
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
            case "group_not_found": throw RankingError.groupNotFound
            case "member_not_found": throw RankingError.memberNotFound
            case "needs_admin", "needs_owner": throw RankingError.needsAdmin
            default: throw error
            }
        }
    }
}
