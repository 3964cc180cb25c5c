import Testing

@testable import API

@Suite struct PlainTextTests {
    @Test(arguments: [
        ("  공부하는 개미 ", "공부하는 개미"), ("🐜", "🐜"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("e\u{301}", "é"), ("Zoë O'Neil-Ant", "Zoë O'Neil-Ant"),
        (
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
        ),
    ])
    func `a visible line is trimmed and composed`(text: String, line: String) {
        #expect(PlainText.line(text, atMost: 40).map { Array($0.utf8) } == Array(line.utf8))
    }

    @Test(arguments: [
        "", "   ", "a\nb", "a\u{0}b", "a\u{7}b", "a\u{202E}b", "a\u{200B}b", "\u{3164}", "\u{200D}", "a\u{2028}b",
        "a\u{E000}",
        "a\u{FEFF}b", "\u{2800}", "a\u{A0}b", "\u{FE0F}", "\u{E0041}", "\u{34F}", "\u{17B4}", "\u{301}",
        "\u{E0061}\u{E007F}",
    ])
    func `nothing invisible gets in`(text: String) {
        #expect(PlainText.line(text, atMost: 40) == nil)
    }

    @Test func `length counts code points`() {
        #expect(PlainText.line(String(repeating: "개", count: 40), atMost: 40) != nil)
        #expect(PlainText.line(String(repeating: "개", count: 41), atMost: 40) == nil)
    }
}
