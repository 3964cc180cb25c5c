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
