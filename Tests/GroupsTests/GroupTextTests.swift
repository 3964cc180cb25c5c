import API
import Foundation
import Testing

@testable import Groups

@Suite struct GroupTextTests {
    @Test(arguments: [
        ("  새벽 다섯시 스터디 ", "새벽 다섯시 스터디"), ("e\u{301}tude", "\u{E9}tude"), ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"),
        (String(repeating: "가", count: 60), String(repeating: "가", count: 60)),
    ])
    func `a name is trimmed and composed`(text: String, name: String) throws {
        #expect(try Array(GroupText.name(text).unicodeScalars) == Array(name.unicodeScalars))
    }

    @Test(arguments: [
        "", " \t ", "two\nlines", "null\u{0}", "tab\there", "turned\u{202E}round", "\u{200B}", "\u{3164}",
        String(repeating: "가", count: 61), String(repeating: "👩‍👩‍👧‍👦", count: 9),
        "e" + String(repeating: "\u{301}", count: 300),
    ])
    func `a name without letters, with controls or too long is refused`(text: String) {
        #expect(throws: Refusal.groups.invalidName) { try GroupText.name(text) }
    }

    @Test func `a description may have lines, and at most 500 characters`() throws {
        #expect(try GroupText.description(" one\ntwo ") == "one\ntwo")
        #expect(try GroupText.description("") == "")
        #expect(try GroupText.description("\r\n one \r\n  \r\ntwo\n\n") == "one\n\ntwo")
        #expect(throws: Refusal.groups.invalidDescription) { try GroupText.description("bell\u{7}") }
        #expect(throws: Refusal.groups.invalidDescription) {
            try GroupText.description(String(repeating: "x", count: 501))
        }
    }

    @Test(arguments: [
        ("🐜", "🐜"), (" 📚\n", "📚"), ("👩‍🎓", "👩‍🎓"), ("🇰🇷", "🇰🇷"), ("👍🏽", "👍🏽"), ("1️⃣", "1️⃣"),
        ("❤️", "❤️"), ("\u{2764}", "\u{2764}\u{FE0F}"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    ])
    func `an emoji is one, drawn in colour`(text: String, emoji: String) throws {
        #expect(try Array(GroupText.emoji(text).unicodeScalars) == Array(emoji.unicodeScalars))
    }

    @Test(arguments: [
        "", " ", "a", "7", "©", "가", "🐜🐜", "🐜a", "🇰", "#", "\u{FE0F}", "\u{200D}", "🐜\u{301}", "\u{1F3F4}\u{200D}\u{0}",
    ])
    func `what is not one emoji is refused`(text: String) {
        #expect(throws: Refusal.groups.invalidEmoji) { try GroupText.emoji(text) }
    }

    @Test(arguments: ["5:00", "05:0", "05-00", "24:00", "05:60", "aa:bb", "05:000", "٠٥:٠٠"])
    func `a day starts at an hour and a minute`(text: String) {
        #expect { try WantedRules(dayStartsAt: text) } throws: { ($0 as? Refusal)?.code == "invalid_day_start" }
    }

    @Test func `codes are long, fit a link and differ`() {
        var generator = SystemRandomNumberGenerator()
        let codes = (0..<100).map { _ in InvitationCode.random(using: &generator) }
        #expect(Set(codes).count == 100)
        #expect(
            codes.allSatisfy { $0.count == 22 && $0.allSatisfy { $0.isLetter || $0.isNumber || "-_".contains($0) } })
    }
}
