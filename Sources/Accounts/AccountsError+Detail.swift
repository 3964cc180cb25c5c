import HTTP

extension AccountsError {
    package var detail: Localized {
        switch self {
        case .notSignedIn: Localized(ko: "로그인이 필요해요.", en: "You need to sign in.")
        case .crossOrigin:
            Localized(ko: "다른 사이트에서 보낸 요청은 받지 않아요.", en: "This request came from another site and was refused.")
        case .wrongCredentials:
            Localized(ko: "이메일이나 비밀번호가 맞지 않아요.", en: "The e-mail address or the password is wrong.")
        case .wrongPassword: Localized(ko: "지금 비밀번호가 맞지 않아요.", en: "The current password is wrong.")
        case .tooManyAttempts(let seconds):
            Localized(
                ko: "시도가 너무 많았어요. \(seconds)초 뒤에 다시 해 주세요.",
                en: "That was too many attempts. Try again in \(seconds) seconds.")
        case .tooManyRequests(let seconds):
            Localized(
                ko: "요청이 너무 많아요. \(seconds)초 뒤에 다시 해 주세요.",
                en: "Too many requests. Try again in \(seconds) seconds.")
        case .passwordLocked:
            Localized(
                ko: "틀린 비밀번호가 너무 많이 입력됐어요. 메일로 비밀번호를 다시 정해 주세요.",
                en: "Too many wrong passwords were entered. Choose a new password by mail.")
        case .busy: Localized(ko: "지금은 사람이 많아요. 잠시 뒤에 다시 해 주세요.", en: "Very busy right now. Try again in a moment.")
        case .tokenUsedOrExpired:
            Localized(
                ko: "이미 쓰였거나 기한이 지난 링크예요. 메일을 다시 요청해 주세요.",
                en: "This link was already used or has expired. Ask for a new mail.")
        case .weakPassword(_, let ko, let en): Localized(ko: ko, en: en)
        case .invalid(let rule, _): rule.detail
        case .invalidIdempotencyKey:
            Localized(ko: "Idempotency-Key는 UUID여야 해요.", en: "Idempotency-Key must be a UUID.")
        case .idempotencyKeyReused:
            Localized(
                ko: "이 Idempotency-Key는 다른 내용의 요청에 이미 쓰였어요.",
                en: "This Idempotency-Key was already used for a different request.")
        case .requestInFlight:
            Localized(ko: "같은 요청이 아직 처리되고 있어요.", en: "The same request is still being worked on.")
        }
    }
}

extension AccountsError.Rule {
    var detail: Localized {
        switch self {
        case .email: Localized(ko: "이메일 주소를 다시 확인해 주세요.", en: "That is not an e-mail address.")
        case .nickname:
            Localized(
                ko: "별명은 1~40자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
                en: "A nickname has 1 to 40 characters, none of them invisible.")
        case .locale: Localized(ko: "언어는 ko나 en이어야 해요.", en: "The language must be ko or en.")
        case .delivery: Localized(ko: "delivery는 bearer나 cookie여야 해요.", en: "Delivery must be bearer or cookie.")
        case .device:
            Localized(ko: "기기 이름은 100자까지이고, 한 줄이어야 해요.", en: "A device name is one line of at most 100 characters.")
        case .theme: Localized(ko: "테마는 system, light, dark 가운데 하나예요.", en: "The theme is system, light or dark.")
        case .timeZone:
            Localized(ko: "모르는 시간대예요. Asia/Seoul처럼 적어 주세요.", en: "Unknown time zone. Write it like Asia/Seoul.")
        case .dayStart:
            Localized(ko: "하루의 시작은 00:00부터 11:59 사이예요.", en: "A day starts between 00:00 and 11:59, like 05:00.")
        case .dailyGoal:
            Localized(ko: "하루 목표는 1분부터 24시간 사이예요.", en: "A daily goal is between a minute and 24 hours.")
        case .defaultTimer:
            Localized(ko: "타이머 길이는 1분부터 24시간 사이예요.", en: "A timer's length is between a minute and 24 hours.")
        }
    }
}

extension PasswordPolicy.Weakness {
    func error(field: String) -> AccountsError {
        switch self {
        case .tooShort:
            .weakPassword(field: field, ko: "비밀번호는 10자보다 길거나 같아야 해요.", en: "A password has at least 10 characters.")
        case .tooLong:
            .weakPassword(field: field, ko: "비밀번호는 128자까지예요.", en: "A password has at most 128 characters.")
        case .common:
            .weakPassword(
                field: field, ko: "너무 흔한 비밀번호예요. 남들이 모를 것으로 골라 주세요.",
                en: "That password is one of the most common. Choose one that others do not have.")
        case .monotonous:
            .weakPassword(
                field: field, ko: "서로 다른 글자가 너무 적어요.", en: "That password has too few different characters.")
        case .predictable:
            .weakPassword(
                field: field, ko: "이메일이나 별명, 서비스 이름으로 된 비밀번호는 쉽게 짐작할 수 있어요.",
                en: "A password made of your address, your nickname or the service's name is easy to guess.")
        }
    }
}

extension PasswordPolicy {
    /// Throws ``AccountsError/weakPassword(field:ko:en:)``.
    func check(_ password: Password, email: EmailAddress, nickname: String, field: String) throws {
        if let weakness = weakness(of: password, email: email, nickname: nickname) {
            throw weakness.error(field: field)
        }
    }
}
