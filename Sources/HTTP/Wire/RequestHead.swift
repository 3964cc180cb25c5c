/// The head of one request as it stood on the wire.
struct RequestHead: Sendable {
    /// How the body is delimited.
    enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    var method: Method
    var target: Target
    var headers: Headers
    var framing: Framing
    /// Whether the client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool
    /// HTTP/1.1, where `100 Continue` and persistent connections are the rule.
    var isHTTP11: Bool
    /// About how much memory it takes.
    var size: Int { headers.wire.count + 64 * headers.count + 2 * target.path.utf8.count + target.query.size }
    /// Whether the client wants to go on using the connection.
    var keepsAlive: Bool
}
