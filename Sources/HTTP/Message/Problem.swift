/// An error that knows its answer: what the caller may know, as a problem document (RFC 9457).
package protocol ResponseError: Error, Sendable {
    var status: Status { get }
    /// Stable and snake_case; clients decide by it.
    var code: String { get }
    /// In words for the person.
    var detail: Localized { get }
    /// The one field at fault, if there is one.
    var field: String? { get }
    /// Further headers of the answer, such as `Retry-After`.
    var headers: [(String, String)] { get }
    /// Further members of the document, such as the running timer.
    var extra: JSONMembers? { get }
}

extension ResponseError {
    package var field: String? { nil }
    package var headers: [(String, String)] { [] }
    package var extra: JSONMembers? { nil }
}

/// An error made on the spot.
package struct Problem: ResponseError {
    package var status: Status
    package var code: String
    package var detail: Localized
    package var field: String?
    package var headers: [(String, String)] = []
    package var extra: JSONMembers?

    package init(_ status: Status, _ code: String, field: String? = nil, ko: String, en: String) {
        self.status = status
        self.code = code
        self.field = field
        detail = Localized(ko: ko, en: en)
    }

    package func with(_ headers: (String, String)...) -> Problem {
        var problem = self
        problem.headers += headers
        return problem
    }
}

extension Problem {
    package static let notFound = Problem(
        .notFound, "not_found", ko: "여기에는 아무것도 없어요.", en: "There is nothing here.")

    package static func invalidQuery(_ name: String) -> Problem {
        Problem(
            .badRequest, "invalid_query", field: name, ko: "주소의 물음표 뒤에 읽을 수 없는 값이 있어요: \(name)",
            en: "The query has a value here that cannot be read: \(name)")
    }

    static func repeatedParameter(_ name: String) -> Problem {
        Problem(
            .badRequest, "invalid_query", field: name, ko: "주소의 물음표 뒤에 같은 항목이 두 번 있어요: \(name)",
            en: "The query has this parameter twice: \(name)")
    }

    static func unknownParameter(_ name: String) -> Problem {
        Problem(
            .badRequest, "unknown_parameter", field: name, ko: "주소의 물음표 뒤에 모르는 항목이 있어요: \(name)",
            en: "The query has a parameter that is not known here: \(name)")
    }

    package static let malformedJSON = Problem(
        .badRequest, "malformed_json", ko: "보낸 내용이 올바른 JSON 객체가 아니에요.",
        en: "The body is not a valid JSON object.")

    package static let notJSON = Problem(
        .unsupportedMediaType, "not_json", ko: "내용은 application/json으로 보내 주세요.",
        en: "Send the body as application/json.")

    package static func unknownField(_ field: String) -> Problem {
        Problem(
            .badRequest, "unknown_field", field: field, ko: "모르는 항목이 있어요: \(field)",
            en: "This field is not known: \(field)")
    }

    package static func missingField(_ field: String) -> Problem {
        Problem(
            .badRequest, "missing_field", field: field, ko: "꼭 필요한 항목이 빠졌어요: \(field)",
            en: "This field is missing: \(field)")
    }

    package static func wrongType(_ field: String) -> Problem {
        Problem(
            .badRequest, "wrong_type", field: field, ko: "항목의 형식이 맞지 않아요: \(field)",
            en: "This field has the wrong type: \(field)")
    }

    static func methodNotAllowed(allow: String) -> Problem {
        Problem(
            .methodNotAllowed, "method_not_allowed", ko: "이 주소에서는 할 수 없는 요청이에요.",
            en: "This address does not take that method."
        ).with(("Allow", allow))
    }

    static let internalError = Problem(
        .internalError, "internal_error", ko: "", en: "")
}

// What the wire can get wrong. The connection closes after each of these.
extension Problem {
    static let badRequest = Problem(
        .badRequest, "bad_request", ko: "요청이 HTTP 규칙에 맞지 않아요.", en: "The request does not follow HTTP.")

    static let contentTooLarge = Problem(
        .contentTooLarge, "content_too_large", ko: "보낸 내용이 너무 커요.", en: "The body is too large.")

    /// So much is being received that no more can be kept in memory.
    package static let busy = Problem(
        .unavailable, "busy", ko: "지금은 요청이 너무 많아요. 잠시 뒤에 다시 시도해 주세요.",
        en: "Too much is being sent right now. Try again in a moment."
    ).with(("Retry-After", "2"))

    static let targetTooLong = Problem(
        .targetTooLong, "target_too_long", ko: "주소가 너무 길어요.", en: "The address is too long.")

    static let headTooLarge = Problem(
        .headTooLarge, "head_too_large", ko: "요청 헤더가 너무 커요.", en: "The request's headers are too large.")

    static let expectationFailed = Problem(
        .expectationFailed, "expectation_failed", ko: "Expect 헤더는 100-continue만 지원해요.",
        en: "The only supported expectation is 100-continue.")

    static let notImplemented = Problem(
        .notImplemented, "not_implemented", ko: "모르는 메서드나 전송 방식이에요.",
        en: "That method or transfer coding is not known.")

    static let versionNotSupported = Problem(
        .versionNotSupported, "version_not_supported", ko: "HTTP/1.0과 HTTP/1.1만 지원해요.",
        en: "This server supports only HTTP/1.0 and HTTP/1.1.")
}
