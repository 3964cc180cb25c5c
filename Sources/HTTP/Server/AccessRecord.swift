/// One line of the access log: no path, no query and no secret.
package struct AccessRecord: Sendable {
    /// `-` when the request could not be read.
    package let method: String
    /// The pattern of the route, `-` when there is none.
    package let route: String
    package let status: Status
    /// From the end of the head to the answer.
    package let duration: Duration
    /// The size of the answer's body.
    package let bytes: Int
    package let client: ClientAddress
    package let id: String
    package let trace: TraceID
}
