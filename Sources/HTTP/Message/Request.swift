/// A whole request, as a handler sees it.
package struct Request: Sendable {
    package var method: Method
    package var target: Target
    package var headers: Headers
    package var body: [UInt8]
    /// The client's address, as trusted proxies report it.
    package var client: ClientAddress
    /// Whether the TCP peer is this machine; it may be a proxy.
    package var peerIsLoopback: Bool
    /// Names this request in logs and problem documents.
    package var id: String
    /// The same across programs, as the client or a proxy says.
    package var trace: TraceID
    /// The pattern of the matched route, such as `/api/v1/groups/{id}`.
    package internal(set) var route = "-"
    package internal(set) var parameters: [String: String] = [:]

    package init(
        _ method: Method, _ target: Target, headers: Headers = [:], body: [UInt8] = [],
        client: ClientAddress = .loopback, peerIsLoopback: Bool = true, id: String = "-",
        trace: TraceID = TraceID(bits: 0)
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.client = client
        self.peerIsLoopback = peerIsLoopback
        self.id = id
        self.trace = trace
    }

    /// Percent-decoded, without the query.
    package var path: String { target.path }
    package var query: QueryParameters { target.query }

    /// The person's language by `Accept-Language`, English by default.
    package var language: Language { Language(accepting: headers["Accept-Language"]) }

    /// The value of `{name}` in the route's pattern.
    package func parameter(_ name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("\(route) has no {\(name)}") }
        return value
    }

    /// The value of a cookie.
    package func cookie(_ name: String) -> String? {
        for line in headers.all("Cookie") {
            for pair in line.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop(while: ASCII.isBlank)
                guard pair.starts(with: name.utf8) else { continue }
                let value = pair.dropFirst(name.utf8.count)
                if value.first == UInt8(ascii: "=") { return String(Substring(value.dropFirst()).trimmed) }
            }
        }
        return nil
    }

    /// The body as a JSON object with no other members than these: `415 not_json`, `400 malformed_json`,
    /// `400 unknown_field`. No body at all is an object without members.
    package func json(_ allowed: String...) throws -> Fields { try json(allowed) }

    package func json(_ allowed: [String]) throws -> Fields {
        if body.isEmpty, !headers.contains("Content-Type") { return Fields([:]) }
        guard isJSON else { throw Problem.notJSON }
        guard case .object(let members)? = JSON(text: body) else { throw Problem.malformedJSON }
        return try Fields(members).allowing(allowed)
    }

    private var isJSON: Bool {
        let parts = (headers["Content-Type"] ?? "").lowercased().split(separator: ";").map(\.trimmed)
        guard parts.first == "application/json" else { return false }
        return parts.dropFirst().allSatisfy {
            !$0.hasPrefix("charset=") || $0.dropFirst(8).filter { $0 != "\"" } == "utf-8"
        }
    }
}
