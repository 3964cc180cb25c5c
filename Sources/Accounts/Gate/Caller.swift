import Postgres

/// Who makes a request, as the gate found out.
package struct Caller: Hashable, Sendable {
    /// The person.
    package let uid: ID
    /// The signed-in device.
    package let signIn: ID
    /// Whether the request was authenticated by the cookie; otherwise by a bearer token.
    package let isCookie: Bool
    /// Whether a program asks with a key of theirs.
    package let isKey: Bool
    /// Position in the change feed when the sign-in was validated.
    package let position: ChangeFeed.Position
}
