import Glibc
import Time

extension Outbox {
    /// How an answer ends and what the connection does after it.
    struct Framing {
        /// HEAD: the headers of the body, without the body.
        var omitsBody = false
        /// Whether the client may send another request.
        var keepsAlive = true
        /// HTTP/1.0 has to be told that the connection stays.
        var isHTTP11 = true
    }

    /// Adds a whole answer.
    mutating func append(_ response: Response, _ framing: Framing, date: DateLine) {
        reserve(192 + response.headers.wire.count + min(response.body.count, Self.largeBody))
        append("HTTP/1.1 ")
        append(response.status.code)
        append(" ")
        append(response.status.reason)
        append("\r\n")
        append(date.bytes)
        append(response.headers.wire)
        // These have no body by their nature, and no length of one.
        let isBodiless = response.status == .noContent || response.status == .notModified
        switch response.body {
        case .stream: break
        case .download:
            // HTTP/1.0 knows no chunks: there the end of the connection is the end of the body.
            if framing.isHTTP11 { append("Transfer-Encoding: chunked\r\n") }
        case .none, .bytes, .shared:
            if isBodiless { break }
            append("Content-Length: ")
            append(response.body.count)
            append("\r\n")
        }
        if !framing.keepsAlive {
            append("Connection: close\r\n")
        } else if !framing.isHTTP11 {
            append("Connection: keep-alive\r\n")
        }
        append("\r\n")
        if framing.omitsBody || isBodiless { return }
        if case .shared(let beginning, let rest) = response.body, response.body.count < Self.largeBody {
            append(beginning.bytes)
            append(rest)
        } else if let content = response.body.content {
            append(body: content, isShared: response.isShared)
        }
    }
}

/// The `Date` header of the current second.
struct DateLine {
    private(set) var bytes: [UInt8] = []
    private var second: time_t = 0

    mutating func refresh() {
        let now = time(nil)
        guard now != second else { return }
        second = now
        let text = Instant(secondsSince1970: now).headerText
        bytes = Array("Date: \(text) GMT\r\n".utf8)
    }
}
