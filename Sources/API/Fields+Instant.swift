import HTTP
import Time

extension Fields {
    /// A required RFC 3339 time in whole seconds, from 1970 on; anything else is `422 invalid_time`.
    package func instant(_ name: String) throws -> Instant { try Instant(string(name), of: place + name) }

    /// The same where it may be left out.
    package func optionalInstant(_ name: String) throws -> Instant? {
        try optionalString(name).map { try Instant($0, of: place + name) }
    }
}

extension Instant {
    /// The instant that a request names in `field`; throws `invalid_time` for what is none.
    package init(_ text: String, of field: String) throws {
        guard let instant = Instant(from1970: text) else { throw Self.invalid.at(field) }
        self = instant
    }

    private static let invalid = Refusal(
        .unprocessable, "invalid_time", ko: "시각은 2026-11-21T05:00:00Z처럼 초까지 적어 주세요.",
        en: "Write a time in whole seconds, like 2026-11-21T05:00:00Z.")
}
