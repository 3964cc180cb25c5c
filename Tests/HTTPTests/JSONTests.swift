import HTTP
import Testing

@Suite struct JSONTests {
    struct Thing: Encodable {
        var startedAt = "2026-11-21T05:00:00Z"
        var id = 7
        var none: Int?
        var avatarURL = "/a/b"
        @OrNull var next: String?
    }

    func text(_ value: some Encodable) throws -> String {
        guard case .bytes(let bytes) = try Response.json(value).body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `answers have snake_case names in a fixed order`() throws {
        let expected =
            #"{"avatar_url":"/a/b","id":7,"next":null,"started_at":"2026-11-21T05:00:00Z"}"#
        #expect(try text(Thing()) == expected)
    }

    @Test func `names inside a JSON value stay as they are`() throws {
        #expect(try text(JSON.object(["workSeconds": .integer(25)])) == #"{"workSeconds":25}"#)
    }

    func fields(_ body: String, _ allowed: String = "x") throws -> Fields {
        try Request(
            .post, "/", headers: ["Content-Type": "application/json"], body: Array(body.utf8)
        ).json(allowed)
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{\"x\":}", "{'x':1}", "{\"x\":01}", "{\"x\":NaN}", "{\"x\":1} y",
        "{\"x\":\"\u{1}\"}", "{\"x\":\"\\ud800\"}", String(repeating: "{\"x\":", count: 5000),
        "{\"x\":" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
    ])
    func `what is no JSON object is refused`(body: String) {
        #expect(throws: Problem.self) { try fields(body) }
    }

    /// What another reader would take, or take for something else.
    @Test(arguments: [
        "{\"x\":1,}", "{,\"x\":1}", "{\"x\":1 \"y\":2}", "{\"x\":[1,]}", "{\"x\":[,1]}", "{\"x\":[1 2]}", "{\"x\" 1}",
        "{x:1}", "{\"x\":1}}", "{\"x\":1,\"x\":1}", "{\"x\":1,\"\\u0078\":2}", "{\"x\":{\"a\":1,\"b\":2,\"a\":3}}",
        "{\"x\":+1}",
        "{\"x\":.5}", "{\"x\":5.}", "{\"x\":-}", "{\"x\":1e}", "{\"x\":0x1}", "{\"x\":1e999}", "{\"x\":Infinity}",
        "{\"x\":tru}", "{\"x\":True}", "{\"x\":nul}", "{\"x\":\"a}", "{\"x\":\"\\x41\"}", "{\"x\":\"\\u12\"}",
        "{\"x\":\"\\udc00\"}",
        "{\"x\":\"\\ud83cx\"}", "{\"x\":\"\\ud83c\\u0041\"}", "{\"x\":\"a\nb\"}", "{\"x\":\"a\tb\"}", "{\"x\":\"\\\"}",
        "{\"x\":1}\0",
        "{\"x\":1}//", "/**/{\"x\":1}", "{\"x\":\u{A0}1}", "{\"x\":\u{0C}1}", "  ",
    ])
    func `what strict readers refuse is refused`(body: String) {
        #expect(throws: Problem.self) { try fields(body) }
    }

    @Test func `another encoding than UTF-8 is refused`() {
        let text = Array("{\"x\":1}".utf8)
        let little: [UInt8] = text.flatMap { [$0, 0] }
        let big: [UInt8] = text.flatMap { [0, $0] }
        for body in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] { #expect(JSON(text: body) == nil) }
        #expect(JSON(text: text.flatMap { [$0, 0, 0, 0] }) == nil)
        #expect(JSON(text: text.flatMap { [0, 0, 0, $0] }) == nil)
        for wrong in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            #expect(JSON(text: [UInt8(ascii: "\"")] + wrong + [UInt8(ascii: "\"")]) == nil)
        }
    }

    @Test func `what JSON allows is read`() {
        let cases: [(String, JSON)] = [
            ("0", .integer(0)), ("-0", .integer(0)), (" \t\r\n12 ", .integer(12)),
            ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1E+2", .number(100)),
            ("-0.5e-1", .number(-0.05)),
            ("true", .bool(true)), ("false", .bool(false)), ("null", .null), ("[]", .array([])), ("{ }", .object([:])),
            ("[ 1 , [ ] , { \"a\" : null } ]", .array([.integer(1), .array([]), .object(["a": .null])])),
            (#""\"\\\/\b\f\n\r\t\u00e9\uD83C\uDF31""#, .string("\"\\/\u{08}\u{0C}\n\r\té🌱")),
            ("\"\u{7F}개미\"", .string("\u{7F}개미")), ("\u{FEFF}{\"\":1}", .object(["": .integer(1)])),
            (String(repeating: "[", count: 33) + String(repeating: "]", count: 33), JSONTests.nested(33)),
        ]
        for (text, value) in cases { #expect(JSON(text: Array(text.utf8)) == value, "\(text)") }
    }

    private static func nested(_ count: Int) -> JSON { count == 1 ? .array([]) : .array([nested(count - 1)]) }

    @Test func `what Foundation writes is read as it was`() throws {
        var random = SplitMix(state: 7)
        for _ in 0..<500 {
            let value = JSONTests.value(depth: 4, &random)
            #expect(JSON(text: try JSON.bytes(value)) == value)
        }
    }

    private static func value(depth: Int, _ random: inout SplitMix) -> JSON {
        func text() -> String {
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        ["a", "\"", "\\", "\0", "\n", "\u{1F}", "é", "개", "🌱", "/", "\u{2028}"].randomElement(
                            using: &random)!
                    }))
        }
        switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: .min ... .max, using: &random))
        case 3: return .number(Double.random(in: -1...1, using: &random) + 2)
        case 4: return .string(text())
        case 5: return .array((0..<3).map { _ in value(depth: depth - 1, &random) })
        default:
            return .object([text(): value(depth: depth - 1, &random), "x" + text(): value(depth: depth - 1, &random)])
        }
    }

    @Test(arguments: ["1.5", "1e3", "1.0", "9223372036854775808", "true", "\"1\"", "[]", "{}"])
    func `a whole number is nothing else`(value: String) throws {
        let problem = #expect(throws: Problem.self) { try fields("{\"x\":\(value)}").int("x") }
        #expect(problem?.code == "wrong_type")
        #expect(problem?.field == "x")
    }

    @Test func `values keep their exact content`() throws {
        #expect(try fields("{\"x\":9223372036854775807}").int("x") == .max)
        #expect(try fields("{\"x\":\"\\ud83c\\udf31 \\u0041\\/\"}").string("x") == "🌱 A/")
        #expect(try fields("{\"x\":false}").bool("x") == false)
        #expect(try fields("{\"x\":null}").optionalInt("x") == nil)
    }

    @Test func `a member nobody reads is named`() throws {
        let problem = #expect(throws: Problem.self) { try fields("{\"x\":1,\"y\":2}") }
        #expect(problem?.code == "unknown_field")
        #expect(problem?.field == "y")
    }
}
