import HTTP

/// What Accounts refuses, each with its unchanging code.
package enum AccountsError: ResponseError, Equatable {
    case notSignedIn
    case crossOrigin
    case wrongCredentials
    case wrongPassword
    case tooManyAttempts(retryAfter: Int)
    case tooManyRequests(retryAfter: Int)
    case passwordLocked
    case busy
    case tokenUsedOrExpired
    case weakPassword(field: String, ko: String, en: String)
    case invalid(Rule, field: String)
    case invalidIdempotencyKey
    case idempotencyKeyReused
    case requestInFlight

    /// A field that was read, but against a rule.
    package enum Rule: String, Sendable {
        case email = "invalid_email"
        case nickname = "invalid_nickname"
        case locale = "unknown_locale"
        case delivery = "unknown_delivery"
        case device = "invalid_device"
        case theme = "unknown_theme"
        case timeZone = "unknown_time_zone"
        case dayStart = "invalid_day_start"
        case dailyGoal = "invalid_daily_goal"
        case defaultTimer = "invalid_default_timer"
    }

    package var status: Status {
        switch self {
        case .notSignedIn, .wrongCredentials: .unauthorized
        case .crossOrigin, .wrongPassword, .passwordLocked: .forbidden
        case .tooManyAttempts, .tooManyRequests: .tooManyRequests
        case .busy: .unavailable
        case .tokenUsedOrExpired: .gone
        case .weakPassword, .invalid, .idempotencyKeyReused: .unprocessable
        case .invalidIdempotencyKey: .badRequest
        case .requestInFlight: .conflict
        }
    }

    package var code: String {
        switch self {
        case .notSignedIn: "not_signed_in"
        case .crossOrigin: "cross_origin"
        case .wrongCredentials: "wrong_credentials"
        case .wrongPassword: "wrong_password"
        case .tooManyAttempts: "too_many_attempts"
        case .tooManyRequests: "too_many_requests"
        case .passwordLocked: "password_locked"
        case .busy: "overloaded"
        case .tokenUsedOrExpired: "token_used_or_expired"
        case .weakPassword: "weak_password"
        case .invalid(let rule, _): rule.rawValue
        case .invalidIdempotencyKey: "invalid_idempotency_key"
        case .idempotencyKeyReused: "idempotency_key_reused"
        case .requestInFlight: "request_in_flight"
        }
    }

    package var field: String? {
        switch self {
        case .wrongPassword: "current"
        case .weakPassword(let field, _, _), .invalid(_, let field): field
        default: nil
        }
    }

    package var headers: [(String, String)] {
        switch self {
        case .notSignedIn: [("WWW-Authenticate", "Bearer")]
        case .tooManyAttempts(let seconds), .tooManyRequests(let seconds): [("Retry-After", "\(seconds)")]
        case .busy: [("Retry-After", "2")]
        case .requestInFlight: [("Retry-After", "1")]
        default: []
        }
    }
}
