/// An HTTP status code with its reason phrase.
package struct Status: Hashable, Sendable {
    package let code: Int

    package init(_ code: Int) { self.code = code }

    package static let ok = Status(200)
    package static let created = Status(201)
    package static let accepted = Status(202)
    package static let noContent = Status(204)
    package static let seeOther = Status(303)
    package static let notModified = Status(304)
    package static let badRequest = Status(400)
    package static let unauthorized = Status(401)
    package static let forbidden = Status(403)
    package static let notFound = Status(404)
    package static let methodNotAllowed = Status(405)
    package static let conflict = Status(409)
    package static let gone = Status(410)
    package static let contentTooLarge = Status(413)
    package static let targetTooLong = Status(414)
    package static let unsupportedMediaType = Status(415)
    package static let expectationFailed = Status(417)
    package static let unprocessable = Status(422)
    package static let tooManyRequests = Status(429)
    package static let headTooLarge = Status(431)
    package static let internalError = Status(500)
    package static let notImplemented = Status(501)
    package static let unavailable = Status(503)
    package static let versionNotSupported = Status(505)

    /// The phrase of RFC 9110, also the `title` of a problem document.
    package var reason: String {
        switch code {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 303: "See Other"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
