import API
import Groups
import HTTP

/// What moderation refuses.
package struct ModerationRefusals: Refusals {
    /// No such person, suspension, report or mail, or not for the caller to know.
    let notFound = Refusal(
        .notFound, "not_found", on: "needs_site_admin", "user_not_found", "person_not_found", "suspension_not_found",
        "report_not_found", "mail_not_found", ko: "찾을 수 없어요.", en: "This was not found.")
    let ownSuspension = Refusal(
        .forbidden, "not_allowed", on: "own_suspension",
        ko: "내 정지는 다른 관리자가 해제할 수 있어요.", en: "Another admin has to lift your own suspension.")
    let ownReport = Refusal(
        .unprocessable, "not_yourself", on: "reports_not_oneself", field: "uid",
        ko: "나를 신고할 수는 없어요.", en: "You cannot report yourself.")
    let alreadyReported = Refusal(
        .conflict, "already_reported", on: "reports_one_open",
        ko: "이미 신고한 사람이에요. 관리자가 답하면 다시 신고할 수 있어요.",
        en: "You have reported this person already. You can report them again once an admin has answered.")
    let tooManyReports = Refusal(
        .tooManyRequests, "too_many_reports", on: "too_many_reports",
        ko: "신고는 24시간에 \(RuleNumber.mostReportsADay)번까지 할 수 있어요.",
        en: "You can make \(RuleNumber.mostReportsADay) reports in 24 hours.")
    let reportClosed = Refusal(
        .conflict, "report_closed", on: "report_closed",
        ko: "이미 답한 신고예요.", en: "This report has been answered already.")
    let mailSent = Refusal(
        .conflict, "mail_sent", on: "mail_sent", ko: "이미 보낸 메일이에요.", en: "This email was sent already.")
    /// The account is suspended or about to be deleted, or the address is held for somebody.
    let mayNotSignIn = Refusal(
        .conflict, "may_not_sign_in", field: "email",
        ko: "이 주소의 계정은 로그인할 수 없는 상태예요.", en: "The account of this address may not sign in.")
}

extension Refusal {
    package static let moderation = ModerationRefusals()

    /// Runs `body`; suspensions of the service refuse what those of groups do, in the same words.
    static func mapping<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await Refusal.groups.mapConstraints { try await Refusal.moderation.mapConstraints(body) }
    }
}
