/// What is known of one answered request, without a path, a query or a secret.
package struct AccessRecord: Sendable {
    /// `-` when the request could not be read.
    package let method: String
    /// The pattern of the route, `-` when there is none.
    package let route: String
    package let status: Status
    /// From the end of the head to the answer.
    package let duration: Duration
    /// Of the answer's body.
    package let bytes: Int
    package let client: ClientAddress
    package let id: String
}
