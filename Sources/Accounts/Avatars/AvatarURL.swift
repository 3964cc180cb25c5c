import Postgres

/// Where somebody's picture is. Another picture has another version, and so another address.
package struct AvatarURL: Hashable, Sendable, Encodable, CustomStringConvertible {
    package let uid: ID
    package let version: ID

    package static let beforeUID: StaticString = "/api/v1/users/"
    package static let beforeVersion: StaticString = "/avatar?v="

    /// Nil without a version: there is no picture, or none that may be seen here.
    package init?(of uid: ID, version: ID?) {
        guard let version else { return nil }
        (self.uid, self.version) = (uid, version)
    }

    package var description: String { "\(Self.beforeUID)\(uid)\(Self.beforeVersion)\(version)" }

    package func encode(to encoder: any Encoder) throws {
        var text = encoder.singleValueContainer()
        try text.encode(description)
    }
}
