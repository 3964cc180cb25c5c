import HTTP
import Testing

@Suite struct HeadersTests {
    @Test func `names compare without case, values keep theirs and their order`() {
        var headers: Headers = ["Set-Cookie": "A=1", "X": "y", "set-cookie": "B=2"]
        #expect(headers["SET-COOKIE"] == "A=1")
        #expect(headers.all("Set-Cookie") == ["A=1", "B=2"])
        #expect(headers["Set"] == nil)
        headers.set("set-cookie", "C=3")
        #expect(headers.map { "\($0.name)=\($0.value)" } == ["X=y", "set-cookie=C=3"])
        #expect(String(decoding: headers.wire, as: UTF8.self) == "X: y\r\nset-cookie: C=3\r\n")
    }

    @Test func `a value can never add a line`() {
        let headers: Headers = ["Location": "/a\r\nSet-Cookie: x=y\n\0"]
        #expect(String(decoding: headers.wire, as: UTF8.self) == "Location: /a  Set-Cookie: x=y  \r\n")
        #expect(headers.count == 1)
    }

    @Test func `a cookie is found among others`() {
        let request = Request(.get, "/", headers: ["Cookie": "a=1; anthill=t=k; b=2", "cookie": "c=3"])
        #expect(request.cookie("anthill") == "t=k")
        #expect(request.cookie("a") == "1" && request.cookie("b") == "2" && request.cookie("c") == "3")
        #expect(request.cookie("anthil") == nil && request.cookie("d") == nil)
    }

    @Test(arguments: [
        (nil, Language.en), ("ko", .ko), ("ko-KR,ko;q=0.9,en;q=0.8", .ko), ("en-US,en;q=0.9,ko;q=0.8", .en),
        ("fr, ko;q=0.5", .ko), ("fr", .en), ("ko;q=0, en", .en), ("en;q=0.1, KO ; q=0.2", .ko), ("*", .en),
        (",;=q", .en), ("korean", .en),
    ])
    func `the supported language with the highest weight is chosen`(header: String?, language: Language) {
        #expect(Language(accepting: header) == language)
    }
}
