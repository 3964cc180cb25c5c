/// The head of one request as it stood on the wire.
struct RequestHead: Sendable {
    /// How the body is delimited.
    enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked

        /// Whether a body may be larger than what anybody may send, where `limit` bytes are allowed.
        func isLarge(limit: Int) -> Bool {
            switch self {
            case .none: false
            case .length(let length): length > Route.usualMaxBody
            case .chunked: limit > Route.usualMaxBody
            }
        }
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
