import API
import HTTP

/// What Accounts refuses.
package struct AccountsRefusals: Refusals {
    let notSignedIn = Refusal(
        .unauthorized, "not_signed_in", on: "email_changes_sign_in", "signed_out_meanwhile", ko: "로그인이 필요해요.",
        en: "You need to sign in."
    ).with(header: "WWW-Authenticate", "Bearer")
    package let keyNotAllowed = Refusal(
        .forbidden, "key_not_allowed", ko: "이 키로는 쓸 수 없는 기능이에요.", en: "This key gives no access to that.")
    let crossOrigin = Refusal(
        .forbidden, "cross_origin", ko: "다른 사이트에서 보낸 요청은 받지 않아요.",
        en: "This request came from another site and was refused.")
    let wrongCredentials = Refusal(
        .unauthorized, "wrong_credentials", on: "account_gone", ko: "이메일이나 비밀번호가 맞지 않아요.",
        en: "The email address or the password is wrong."
    ).with(header: "WWW-Authenticate", "Bearer")
    let wrongPassword = Refusal(
        .forbidden, "wrong_password", on: "proof_outdated", field: "current",
        ko: "지금 비밀번호가 맞지 않아요.", en: "The current password is wrong.")
    let passwordRequired = Refusal(
        .forbidden, "confirmation_required", ko: "지금 비밀번호를 입력해 주세요.", en: "Enter your current password.")
    let confirmationRequired = Refusal(
        .forbidden, "confirmation_required", ko: "연결한 계정으로 다시 로그인해 주세요.",
        en: "Sign in once more through a linked account.")
    let ticketUsedOrExpired = Refusal(
        .gone, "ticket_used_or_expired", ko: "시간이 너무 지났어요. 처음부터 다시 해 주세요.",
        en: "That took too long. Start again.")
    let addressTaken = Refusal(
        .conflict, "address_taken", ko: "이 이메일로 만든 계정이 이미 있어요. 로그인한 뒤 설정에서 연결해 주세요.",
        en: "This address already has an account. Sign in to it, then link it in Settings.")
    let identityTaken = Refusal(
        .conflict, "identity_taken", on: "user_identities_key", ko: "공부 개미 계정에 이미 연결되어 있어요.",
        en: "It is already linked to an Anthill account.")
    let unknownProvider = Refusal(
        .unprocessable, "unknown_provider", field: "provider", ko: "여기에서 쓸 수 없는 로그인 방법이에요.",
        en: "This service does not offer that provider.")
    let lastWayIn = Refusal(
        .conflict, "last_way_in", on: "last_way_in", ko: "로그인할 수 있는 마지막 방법이에요. 먼저 비밀번호를 정해 주세요.",
        en: "This is your last way to sign in. Set a password first.")
    let providerUnavailable = Refusal(
        .unavailable, "provider_unavailable", ko: "지금은 {}에 연결할 수 없어요. 잠시 뒤에 다시 해 주세요.",
        en: "{} cannot be reached right now. Try again in a moment."
    ).retry(afterSeconds: 10)
    let leaving = Refusal(
        .unauthorized, "account_leaving", ko: "곧 삭제될 계정이에요. 다시 로그인하면 계정은 그대로 남아요.",
        en: "This account is about to be deleted. Sign in again to keep it."
    ).with(header: "WWW-Authenticate", "Bearer")
    let lastOwner = Refusal(
        .conflict, "last_owner", on: "leaves_groups_ownerless",
        ko: "모임장이 나 혼자인 모임이 있어요. 먼저 다른 사람에게 맡기거나 모임을 삭제해 주세요.",
        en: "You are the only owner of a group. Make somebody else the owner or delete it first.")
    let tooManyAttempts = Refusal(
        .tooManyRequests, "too_many_attempts", ko: "시도가 너무 많았어요. {} 뒤에 다시 해 주세요.",
        en: "Too many attempts. Try again in {}.")
    let tooManyRequests = Refusal(
        .tooManyRequests, "too_many_requests", ko: "요청이 너무 많아요. {} 뒤에 다시 해 주세요.",
        en: "Too many requests. Try again in {}.")
    let passwordLocked = Refusal(
        .forbidden, "password_locked", ko: "틀린 비밀번호가 너무 많이 입력됐어요. 비밀번호를 다시 정할 링크를 받아 주세요.",
        en: "Too many wrong passwords were entered. Ask for a link to choose a new password.")
    let busy = Refusal(
        .unavailable, "busy", ko: "지금은 사람이 많아요. 잠시 뒤에 다시 해 주세요.",
        en: "Very busy right now. Try again in a moment."
    ).retry(afterSeconds: 2)
    let tokenUsedOrExpired = Refusal(
        .gone, "token_used_or_expired", on: "user_emails_key", "user_emails_held", "email_change_over",
        ko: "이미 쓰였거나 기한이 지난 링크예요. 새 링크를 받아 주세요.",
        en: "This link was already used or has expired. Ask for a new one.")
    let invalidIdempotencyKey = Refusal(
        .badRequest, "invalid_idempotency_key",
        ko: "Idempotency-Key는 UUID여야 해요.", en: "Idempotency-Key must be a UUID.")
    let idempotencyKeyReused = Refusal(
        .unprocessable, "idempotency_key_reused", ko: "이 Idempotency-Key는 다른 내용의 요청에 이미 쓰였어요.",
        en: "This Idempotency-Key was already used for a different request.")
    let requestInFlight = Refusal(
        .conflict, "request_in_flight", ko: "같은 요청이 아직 처리되고 있어요.", en: "The same request is still being worked on."
    ).retry(afterSeconds: 1)

    let registrationClosed = Refusal(
        .forbidden, "registration_closed", ko: "지금은 새로 가입할 수 없어요.", en: "Nobody can join at the moment.")
    let invitationRequired = Refusal(
        .forbidden, "invitation_required", on: "invitation_required",
        ko: "쓸 수 있는 초대가 있어야 가입할 수 있어요. 초대 링크를 새로 부탁해 보세요.",
        en: "You need an invitation that still works. Ask for a new link.")
    let noMail = Refusal(
        .forbidden, "no_mail", ko: "이 서비스는 메일을 보내지 않아요. 운영하는 분께 링크를 부탁해 주세요.",
        en: "This service sends no email. Ask the person who runs it for a link.")

    package let invalidEmail = Refusal(
        .unprocessable, "invalid_email", field: "email",
        ko: "이메일 주소를 다시 확인해 주세요.", en: "This is not an email address.")
    let emailUnchanged = Refusal(
        .unprocessable, "email_unchanged", field: "email",
        ko: "지금 쓰고 있는 주소예요. 바꾸려면 다른 주소를 적어 주세요.", en: "That is already your address. Enter another one.")
    let invalidNickname = Refusal(
        .unprocessable, "invalid_nickname", field: "nickname", ko: "별명은 1~40자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A nickname has 1 to 40 characters, none of them invisible.")
    package let unknownLocale = Refusal(
        .unprocessable, "unknown_locale", field: "locale", ko: "언어는 ko나 en이어야 해요.", en: "The language must be ko or en."
    )
    let unknownTheme = Refusal(
        .unprocessable, "unknown_theme", field: "theme",
        ko: "테마는 system, light, dark 중 하나예요.", en: "The theme is system, light or dark.")
    let unknownDelivery = Refusal(
        .unprocessable, "unknown_delivery", field: "delivery",
        ko: "delivery는 bearer나 cookie여야 해요.", en: "Delivery must be bearer or cookie.")
    let invalidDevice = Refusal(
        .unprocessable, "invalid_device", field: "device",
        ko: "기기 이름은 100자까지이고, 한 줄이어야 해요.", en: "A device name is one line of at most 100 characters.")
    let invalidKeyName = Refusal(
        .unprocessable, "invalid_key_name", field: "name", ko: "키 이름은 1~40자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A key's name has 1 to 40 characters, none of them invisible.")
    let unknownScopes = Refusal(
        .unprocessable, "unknown_scopes", field: "scopes", ko: "scopes는 [read]나 [read, record]여야 해요.",
        en: "The scopes must be [read] or [read, record].")
    let invalidKeyDays = Refusal(
        .unprocessable, "invalid_key_days", on: "api_key_days", field: "expires_in_days",
        ko: "키의 기한은 1일부터 \(RuleNumber.mostApiKeyDays)일까지예요.",
        en: "A key lasts 1 to \(RuleNumber.mostApiKeyDays) days.")
    let tooManyKeys = Refusal(
        .conflict, "too_many_api_keys", on: "too_many_api_keys",
        ko: "키는 \(RuleNumber.mostApiKeys)개까지 만들 수 있어요. 먼저 안 쓰는 키를 삭제해 주세요.",
        en: "You can have at most \(RuleNumber.mostApiKeys) keys. End one first.")
    package let unknownTimeZone = Refusal(
        .unprocessable, "unknown_time_zone", on: "unknown_time_zone", field: "time_zone",
        ko: "모르는 시간대예요. Asia/Seoul처럼 적어 주세요.", en: "Unknown time zone. Write it like Asia/Seoul.")
    let invalidDayStart = Refusal(
        .unprocessable, "invalid_day_start", on: "students_day_starts_at", field: "study_clock.day_starts_at",
        ko: "하루는 낮 \(RuleNumber.dayStartsBeforeHour)시 전에 시작해야 해요.",
        en: "A day starts before \(RuleNumber.dayStartsBeforeHour):00, like 05:00.")
    let invalidDailyGoal = Refusal(
        .unprocessable, "invalid_daily_goal", field: "daily_goal_seconds",
        ko: "하루 목표는 1분부터 24시간 사이예요.", en: "A daily goal is between a minute and 24 hours.")
    let invalidDefaultTimer = Refusal(
        .unprocessable, "invalid_default_timer", field: "default_timer_seconds",
        ko: "타이머 길이는 1분부터 24시간 사이예요.", en: "A timer's length is between a minute and 24 hours.")
    let invalidQuietHours = Refusal(
        .unprocessable, "invalid_quiet_hours", field: "quiet_hours.to",
        ko: "조용한 시간의 시작과 끝이 같아요. 다른 시각을 골라 주세요.",
        en: "Quiet hours cannot begin and end at the same time. Choose another end.")
    /// The start or the end of quiet hours is not a time of day.
    let invalidQuietTime = Refusal(
        .unprocessable, "invalid_quiet_hours", ko: "시각은 22:00처럼 적어 주세요.", en: "Write a time like 22:00.")

    let passwordTooShort = Refusal(
        .unprocessable, "weak_password",
        ko: "비밀번호는 10자 이상이어야 해요.", en: "A password has at least 10 characters.")
    let passwordTooLong = Refusal(
        .unprocessable, "weak_password", ko: "비밀번호는 128자까지예요.", en: "A password has at most 128 characters.")
    let passwordCommon = Refusal(
        .unprocessable, "weak_password", ko: "너무 흔한 비밀번호예요. 남들이 모를 것으로 골라 주세요.",
        en: "That password is one of the most common. Choose one that others do not have.")
    let passwordMonotonous = Refusal(
        .unprocessable, "weak_password",
        ko: "같은 글자가 너무 많아요. 서로 다른 글자를 더 섞어 주세요.", en: "That password has too few different characters. Mix in more.")
    let passwordPredictable = Refusal(
        .unprocessable, "weak_password", ko: "이메일이나 별명, 서비스 이름으로 된 비밀번호는 쉽게 짐작할 수 있어요.",
        en: "A password made of your address, your nickname or the service's name is easy to guess.")
}

extension Refusal {
    package static let accounts = AccountsRefusals()

    /// The same refusal with the time to wait, in its words and in `Retry-After`.
    func until(seconds: Int) -> Refusal { filled(with: .wait(seconds)).retry(afterSeconds: seconds) }
}
