import Postgres

/// Who makes a request, as the gate found out.
package struct Caller: Hashable, Sendable {
    /// The person.
    package let uid: ID
    /// The signed-in device.
    package let signIn: ID
    /// Whether the browser's cookie said so, rather than a bearer token.
    package let isCookie: Bool
    /// Where the change feed stood when the sign-in held.
    package let position: ChangeFeed.Position
}
