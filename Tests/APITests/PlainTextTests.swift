import Foundation
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

    /// Composing a row of accents takes time by the square of its length: of 32,000, a second.
    @Test func `what is too long is not composed first`() {
        let accents = "a" + String(repeating: "\u{301}", count: 32_000) + "\u{323}"
        #expect(PlainText.isTooLong(accents, for: 500))
        let began = ContinuousClock.now
        for _ in 0..<20 { #expect(PlainText.line(accents, atMost: 500) == nil) }
        let refused = ContinuousClock.now - began
        let composing = ContinuousClock().measure { _ = accents.precomposedStringWithCanonicalMapping }
        #expect(refused < composing)
    }

    @Test func `four code points that become one are not too long`() {
        let letter = "\u{3B1}\u{313}\u{300}\u{345}"
        #expect(letter.precomposedStringWithCanonicalMapping.unicodeScalars.count == 1)
        #expect(PlainText.line(String(repeating: letter, count: 40), atMost: 40)?.unicodeScalars.count == 40)
        #expect(PlainText.line(String(repeating: letter, count: 41), atMost: 40) == nil)
    }

    @Test func `length counts code points`() {
        #expect(PlainText.line(String(repeating: "개", count: 40), atMost: 40) != nil)
        #expect(PlainText.line(String(repeating: "개", count: 41), atMost: 40) == nil)
    }
}
