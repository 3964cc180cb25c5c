/// An answer: status, headers and body. Length, date and connection headers are the server's.
package struct Response: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// The beginning that many answers share, and the rest of this one.
        case shared(SharedText, rest: [UInt8])
        case stream(EventStream)
        case download(Download)

        /// All of it; nil where it is not there at once.
        package var content: [UInt8]? {
            switch self {
            case .bytes(let bytes): bytes
            case .shared(let beginning, let rest): beginning.bytes + rest
            case .none, .stream, .download: nil
            }
        }

        /// Its size, or 0 where that is not known in advance.
        package var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .shared(let beginning, let rest): beginning.bytes.count + rest.count
            case .none, .stream, .download: 0
            }
        }
    }

    package var status: Status
    package var headers: Headers
    package var body: Body
    /// Whether the body stays in memory for other answers too, as that of a file does.
    package var isShared = false

    package init(_ status: Status = .ok, headers: Headers = [:], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static let noContent = Response(.noContent)
    package static let accepted = Response(.accepted)

    /// A value as JSON with snake_case names; empty optionals are left out.
    package static func json(_ value: some Encodable, status: Status = .ok) throws -> Response {
        Response(status, headers: ["Content-Type": "application/json"], body: .bytes(try JSON.bytes(value)))
    }

    /// JSON that was written before.
    package static func writtenJSON(_ text: [UInt8]) -> Response {
        Response(headers: ["Content-Type": "application/json"], body: .bytes(text))
    }

    /// `201` with the new thing, as JSON that was written before, and where it is.
    package static func created(written text: [UInt8], at location: String) -> Response {
        Response(
            .created, headers: ["Content-Type": "application/json", "Location": location], body: .bytes(text))
    }

    /// `201` with the new thing and where it is.
    package static func created(_ value: some Encodable, at location: String) throws -> Response {
        .created(written: try JSON.bytes(value), at: location)
    }

    /// A redirect that no cache stores.
    package static func sending(to address: String) -> Response {
        Response(.seeOther, headers: ["Location": address, "Cache-Control": "no-store"])
    }

    /// Text of any media type.
    package static func text(
        _ text: String, type: String = "text/plain; charset=utf-8", status: Status = .ok
    ) -> Response {
        Response(status, headers: ["Content-Type": type], body: .bytes(Array(text.utf8)))
    }

    /// The same answer, marked `no-store`: for secrets and exports.
    package func notStored() -> Response {
        var response = self
        response.headers.set("Cache-Control", "no-store")
        return response
    }

    /// The problem document of an error, in the request's language.
    package static func problem(_ error: some ResponseError, language: Language, requestID: String) -> Response {
        let document = ProblemDocument(error: error, language: language, requestID: requestID)
        let bytes = (try? JSON.bytes(document)) ?? []
        var response = Response(
            error.status, headers: ["Content-Type": "application/problem+json"], body: .bytes(bytes))
        for (name, value) in error.headers { response.headers.add(name, value) }
        return response
    }
}

/// RFC 9457, with the code, the field and the request's id; a 500 carries nothing but the id.
private struct ProblemDocument<Failure: ResponseError>: Encodable {
    let error: Failure
    let language: Language
    let requestID: String

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: MemberName.self)
        if error.status != .internalError {
            try object.encode("about:blank", forKey: MemberName("type"))
            try object.encode(error.status.reason, forKey: MemberName("title"))
            try object.encode(error.status.code, forKey: MemberName("status"))
            try object.encode(error.code, forKey: MemberName("code"))
            try object.encode(error.detail[language], forKey: MemberName("detail"))
            try object.encodeIfPresent(error.field, forKey: MemberName("field"))
            for member in error.extra?.members ?? [] {
                try object.encode(AnyEncodable(member.value), forKey: MemberName(member.name))
            }
        }
        try object.encode(requestID, forKey: MemberName("request_id"))
    }
}

private struct AnyEncodable: Encodable {
    let value: any Encodable

    init(_ value: any Encodable) { self.value = value }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
