import Testing

/// One sequence of bytes from a client, and the statuses of all answers to it.
///
/// A probe is appended to each: its 200 at the end says that the connection was still open, and no request lost or
/// made up.
struct WireCase: Sendable, CustomTestStringConvertible {
    let name: String
    let input: [UInt8]
    let statuses: [Int]

    static let probe = "GET /probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    init(_ name: String, _ input: String, closed status: Int) {
        self.init(name, Array(input.utf8), [status])
    }

    init(_ name: String, _ input: String, open statuses: Int...) {
        self.init(name, Array(input.utf8), statuses + [200])
    }

    private init(_ name: String, _ input: [UInt8], _ statuses: [Int]) {
        self.name = name
        self.input = input + Array(Self.probe.utf8)
        self.statuses = statuses
    }

    var testDescription: String { name }

    /// Where to cut: everywhere, or in a long input at both ends, around the bound of a head, and here and there.
    var cuts: [Int] {
        let all = 1..<input.count
        guard input.count > 2000 else { return Array(all) }
        return all.filter { $0 < 60 || $0 > input.count - 80 || (16370...16400).contains($0) || $0 % 4999 == 0 }
    }
}

private func get(_ fields: String = "Host: x\r\n", target: String = "/hello", version: String = "HTTP/1.1") -> String {
    "GET \(target) \(version)\r\n\(fields)\r\n"
}

private func post(_ fields: String, _ body: String = "") -> String {
    "POST /echo HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\(body)"
}

private func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked\r\n", body) }

extension WireCase {
    static let table = lengths + codings + chunks + bytes + hosts + versions + targets + bounds + sequences

    private static let lengths = [
        WireCase("two equal lengths", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), closed: 400),
        WireCase("two different lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"), closed: 400),
        WireCase("a list of lengths", post("Content-Length: 5, 5\r\n", "hello"), closed: 400),
        WireCase("length +5", post("Content-Length: +5\r\n", "hello"), closed: 400),
        WireCase("length -1", post("Content-Length: -1\r\n", "hello"), closed: 400),
        WireCase("length 5 abc", post("Content-Length: 5 abc\r\n", "hello"), closed: 400),
        WireCase("length 0x5", post("Content-Length: 0x5\r\n", "hello"), closed: 400),
        WireCase("length 2^64+5", post("Content-Length: 18446744073709551621\r\n", "hello"), closed: 400),
        WireCase("an empty length", post("Content-Length: \r\n", "hello"), closed: 400),
        WireCase("length in other digits", post("Content-Length: ٥\r\n", "hello"), closed: 400),
        WireCase("a length", post("Content-Length: 5\r\n", "hello"), open: 200),
        WireCase("a length of nothing", post("Content-Length: 0\r\n"), open: 200),
        WireCase("no length", post(""), open: 200),
    ]

    private static let codings = [
        WireCase(
            "length with coding", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), closed: 400),
        WireCase(
            "coding with length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), closed: 400),
        WireCase("chunked", chunked("5\r\nhello\r\n0\r\n\r\n"), open: 200),
        WireCase(
            "Chunked, tab before it", post("transfer-encoding:\tChunked\r\n", "5\r\nhello\r\n0\r\n\r\n"), open: 200),
        WireCase("several chunks", chunked("2\r\nhe\r\n003\r\nllo\r\n0\r\n\r\n"), open: 200),
        WireCase("xchunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), closed: 501),
        WireCase("gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), closed: 501),
        WireCase("chunked, gzip", post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), closed: 400),
        WireCase("chunked, nothing", post("Transfer-Encoding: chunked,\r\n", "0\r\n\r\n"), closed: 400),
        WireCase(
            "chunked, gzip on two lines",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n", "0\r\n\r\n"), closed: 400),
        WireCase("gzip", post("Transfer-Encoding: gzip\r\n", "0\r\n\r\n"), closed: 501),
        WireCase("chunked, chunked", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), closed: 501),
        WireCase(
            "coding twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            closed: 501),
        WireCase(
            "coding on 1.0", "POST /echo HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            closed: 400),
    ]

    private static let chunks = [
        WireCase("chunk size xyz", chunked("xyz\r\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("chunk size -1", chunked("-1\r\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("chunk size 0x5", chunked("0x5\r\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("chunk size overflow", chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("empty chunk size", chunked("\r\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("chunk longer than its size", chunked("3\r\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("bare LF after a chunk size", chunked("5\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("bare LF after a chunk", chunked("5\r\nhello\n0\r\n\r\n"), closed: 400),
        WireCase("bare CR after a chunk size", chunked("5\rhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("chunk extension", chunked("5;a=b\r\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("space after a chunk size", chunked("5 \r\nhello\r\n0\r\n\r\n"), closed: 400),
        WireCase("trailer", chunked("5\r\nhello\r\n0\r\nX: y\r\n\r\n"), closed: 400),
    ]

    private static let bytes = [
        WireCase("bare LF after the request line", "GET /hello HTTP/1.1\nHost: x\r\n\r\n", closed: 400),
        WireCase("bare LF after a field", "GET /hello HTTP/1.1\r\nHost: x\n\r\n", closed: 400),
        WireCase("bare LF at the end", "GET /hello HTTP/1.1\r\nHost: x\r\n\n", closed: 400),
        WireCase("bare LF only", "GET /hello HTTP/1.1\nHost: x\n\n", closed: 400),
        WireCase("bare CR in a value", get("Host: x\r\nX: a\rb\r\n"), closed: 400),
        WireCase("CR CR LF", get("Host: x\r\nX: a\r\r\n"), closed: 400),
        WireCase("folded line", get("Host: x\r\nX: a\r\n b\r\n"), closed: 400),
        WireCase("folded line with a tab", get("Host: x\r\nX: a\r\n\tb\r\n"), closed: 400),
        WireCase("first field folded", get(" Host: x\r\n"), closed: 400),
        WireCase("NUL in a name", get("Host: x\r\nX\0: a\r\n"), closed: 400),
        WireCase("NUL in a value", get("Host: x\r\nX: a\0b\r\n"), closed: 400),
        WireCase("DEL in a value", get("Host: x\r\nX: a\u{7F}b\r\n"), closed: 400),
        WireCase("NUL in the target", get(target: "/hel\0lo"), closed: 400),
        WireCase("space before the colon", get("Host: x\r\nX : a\r\n"), closed: 400),
        WireCase("no colon", get("Host: x\r\nhello\r\n"), closed: 400),
        WireCase("empty name", get("Host: x\r\n: a\r\n"), closed: 400),
        WireCase("name in UTF-8", get("Host: x\r\nXé: a\r\n"), closed: 400),
        WireCase("value in UTF-8", get("Host: x\r\nX: 개미\r\n"), open: 200),
        WireCase("empty value", get("Host: x\r\nX:\r\nY: \t \r\n"), open: 200),
    ]

    private static let hosts = [
        WireCase("no host on 1.1", get("X: y\r\n"), closed: 400),
        WireCase("two hosts", get("Host: x\r\nHost: x\r\n"), closed: 400),
        WireCase("two hosts on 1.0", get("Host: x\r\nHost: y\r\n", version: "HTTP/1.0"), closed: 400),
        WireCase("empty host", get("Host: \r\n"), closed: 400),
        WireCase("empty host with a port", get("Host: :80\r\n"), closed: 400),
        WireCase("empty host, absolute-form", get("Host:\r\n", target: "http://x/hello"), closed: 400),
        WireCase("host in brackets", get("Host: [::1]:80\r\n"), open: 200),
        WireCase("host with a space", get("Host: x y\r\n"), closed: 400),
        WireCase("host with a user", get("Host: a@x\r\n"), closed: 400),
        WireCase("no host on 1.0, kept alive", get("Connection: keep-alive\r\n", version: "HTTP/1.0"), open: 200),
        WireCase("1.0", get("Host: x\r\n", version: "HTTP/1.0"), closed: 200),
    ]

    private static let versions = [
        WireCase("HTTP/2.0", get(version: "HTTP/2.0"), closed: 505),
        WireCase("HTTP/1.2", get(version: "HTTP/1.2"), closed: 505),
        WireCase("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", closed: 505),
        WireCase("HTTP/1.1x", get(version: "HTTP/1.1x"), closed: 400),
        WireCase("HTTP/0.9", get(version: "HTTP/0.9"), closed: 400),
        WireCase("http/1.1", get(version: "http/1.1"), closed: 400),
        WireCase("no version", "GET /hello\r\n\r\n", closed: 400),
        WireCase("two spaces before the target", "GET  /hello HTTP/1.1\r\nHost: x\r\n\r\n", closed: 400),
        WireCase("two spaces after the target", "GET /hello  HTTP/1.1\r\nHost: x\r\n\r\n", closed: 400),
        WireCase("tab after the method", "GET\t/hello HTTP/1.1\r\nHost: x\r\n\r\n", closed: 400),
        WireCase("space at the start", " GET /hello HTTP/1.1\r\nHost: x\r\n\r\n", closed: 400),
        WireCase("space at the end", "GET /hello HTTP/1.1 \r\nHost: x\r\n\r\n", closed: 400),
        WireCase("one empty line first", "\r\n" + get(), open: 200),
        WireCase("two empty lines first", "\r\n\r\n" + get(), closed: 400),
        WireCase("unknown method", "BREW /hello HTTP/1.1\r\nHost: x\r\n\r\n", closed: 501),
        WireCase("method in small letters", "get /hello HTTP/1.1\r\nHost: x\r\n\r\n", closed: 501),
        WireCase("method with a control", "GE\u{1}T /hello HTTP/1.1\r\nHost: x\r\n\r\n", closed: 400),
    ]

    private static let targets = [
        WireCase("absolute-form", get(target: "http://x/hello"), open: 200),
        WireCase("absolute-form, port, query", get(target: "HTTP://x:80/hello?a=b"), open: 200),
        WireCase("absolute-form without a path", get(target: "http://x"), open: 404),
        WireCase("absolute-form without a host", get(target: "http:///hello"), closed: 400),
        WireCase("absolute-form with a user", get(target: "http://a@x/hello"), closed: 400),
        WireCase("absolute-form, other scheme", get(target: "ftp://x/hello"), closed: 400),
        WireCase("authority-form", get(target: "x:80"), closed: 400),
        WireCase("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", open: 204),
        WireCase("GET *", get(target: "*"), closed: 400),
        WireCase("no slash", get(target: "hello"), closed: 400),
        WireCase("fragment", get(target: "/hello#a"), closed: 400),
        WireCase("percent-encoded", get(target: "/%68ello"), open: 200),
        WireCase("encoded slash does not split", get(target: "/path%2Fa"), open: 404),
        WireCase("encoded slash in a parameter", get(target: "/path/a%2fb"), open: 200),
        WireCase("half a percent", get(target: "/hello%2"), closed: 400),
        WireCase("no hexadecimal", get(target: "/hello%zz"), closed: 400),
        WireCase("invalid UTF-8", get(target: "/%ff"), closed: 400),
        WireCase("overlong UTF-8", get(target: "/%c0%af"), closed: 400),
        WireCase("invalid UTF-8 in the query", get(target: "/hello?a=%ff"), closed: 400),
        WireCase("%00", get(target: "/hello%00"), closed: 400),
        WireCase("%00 in the query", get(target: "/hello?a=%00"), closed: 400),
        WireCase("raw UTF-8", get(target: "/é"), closed: 400),
        WireCase("backslash", get(target: "/hello\\"), closed: 400),
        WireCase("a query name twice", get(target: "/hello?a=1&a=2"), open: 400),
    ]

    private static let bounds = [
        WireCase("64 KiB field", get("Host: x\r\nX: \(String(repeating: "a", count: 65536))\r\n"), closed: 431),
        WireCase("64 KiB target", get(target: "/" + String(repeating: "a", count: 65536)), closed: 414),
        WireCase("64 KiB of no line", String(repeating: "a", count: 65536), closed: 414),
        WireCase("a head of 16 KiB", get("Host: x\r\n" + filler(16 * 1024 - 32)), open: 200),
        WireCase("a head of 16 KiB and a byte", get("Host: x\r\n" + filler(16 * 1024 - 31)), closed: 431),
        WireCase("100 fields", get("Host: x\r\n" + String(repeating: "X: y\r\n", count: 99)), open: 200),
        WireCase("101 fields", get("Host: x\r\n" + String(repeating: "X: y\r\n", count: 100)), closed: 431),
        WireCase("a body of the limit", post("Content-Length: 1000\r\n", tall(1000)), open: 200),
        WireCase("a longer body", post("Content-Length: 1001\r\n", tall(1001)), closed: 413),
        WireCase("a longer body, expected", post("Content-Length: 1001\r\nExpect: 100-continue\r\n"), closed: 413),
        WireCase("a huge length", post("Content-Length: 999999999999999999\r\n"), closed: 413),
        WireCase("chunks of the limit", chunked("3e7\r\n\(tall(999))\r\n1\r\na\r\n0\r\n\r\n"), open: 200),
        WireCase("longer chunks", chunked("3e7\r\n\(tall(999))\r\n2\r\naa\r\n0\r\n\r\n"), closed: 413),
        WireCase("a huge chunk", chunked("ffffffff\r\n"), closed: 413),
    ]

    private static let sequences = [
        WireCase("64 pipelined", String(repeating: get(), count: 64), open: Array(repeating: 200, count: 64)),
        WireCase("POST then GET", post("Content-Length: 5\r\n", "hello") + get(), open: 200, 200),
        WireCase("chunked POST then GET", chunked("5\r\nhello\r\n0\r\n\r\n") + get(target: "/none"), open: 200, 404),
        WireCase("GET with a body", get("Host: x\r\nContent-Length: 5\r\n") + "hello" + get(), open: 200, 200),
        WireCase("HEAD then GET", "HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n" + get(), open: 200, 200),
        WireCase("expected body", post("Content-Length: 5\r\nExpect: 100-continue\r\n", "hello"), open: 100, 200),
        WireCase("expected body on 1.0", post10("Expect: 100-continue\r\n", "hello"), open: 200),
        WireCase("other expectation", post("Content-Length: 5\r\nExpect: tea\r\n", "hello"), closed: 417),
        WireCase("GET, then nonsense", get() + "nonsense\r\n\r\n", closed: 200, 400),
        WireCase("close, then GET", get("Host: x\r\nConnection: x, Close\r\n") + get(), closed: 200),
        WireCase("other method", "DELETE /hello HTTP/1.1\r\nHost: x\r\n\r\n", open: 405),
    ]

    private static func post10(_ fields: String, _ body: String) -> String {
        "POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    private static func filler(_ count: Int) -> String { "X: " + String(repeating: "a", count: count - 5) + "\r\n" }

    private static func tall(_ count: Int) -> String { String(repeating: "a", count: count) }

    private init(_ name: String, _ input: String, open statuses: [Int]) {
        self.init(name, Array(input.utf8), statuses + [200])
    }

    private init(_ name: String, _ input: String, closed first: Int, _ last: Int) {
        self.init(name, Array(input.utf8), [first, last])
    }
}
