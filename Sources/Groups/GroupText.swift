import API
import Foundation

/// The words a group shows of itself: trimmed, in Unicode's composed form, nothing invisible in them.
package enum GroupText {
    /// A group's name of 1–60 characters; throws `invalid_name`.
    package static func name(_ text: String) throws -> String {
        guard let name = PlainText.line(text, atMost: 60) else { throw Refusal.groups.invalidName }
        return name
    }

    /// What a group says about itself, at most 500 characters in any number of lines; throws `invalid_description`.
    package static func description(_ text: String) throws -> String {
        guard let description = lines(text) else { throw Refusal.groups.invalidDescription }
        return description
    }

    /// Why somebody is suspended, 1–500 characters in any number of lines; throws `invalid_reason`.
    package static func reason(_ text: String) throws -> String {
        guard let reason = lines(text), !reason.isEmpty else { throw Refusal.groups.invalidReason }
        return reason
    }

    /// What somebody says about their suspension, likewise; throws `invalid_answer`.
    package static func answer(_ text: String) throws -> String {
        guard let answer = lines(text), !answer.isEmpty else { throw Refusal.groups.invalidAnswer }
        return answer
    }

    /// A few words to all members, in any number of lines; throws `invalid_notice`.
    package static func notice(_ text: String) throws -> String {
        guard let notice = lines(text, atMost: RuleNumber.mostNoticeCharacters.value), !notice.isEmpty else {
            throw Refusal.groups.invalidNotice
        }
        return notice
    }

    /// What somebody says with a request to join, nil for nothing; throws `invalid_text`.
    package static func joinWords(_ text: String) throws -> String? {
        guard let words = lines(text, atMost: RuleNumber.mostNoticeCharacters.value) else {
            throw Refusal.groups.invalidWords
        }
        return words.isEmpty ? nil : words
    }

    /// Nil if a line has characters that nobody sees, or if the whole has more scalars than `limit`.
    private static func lines(_ text: String, atMost limit: Int = 500) -> String? {
        var lines: [String] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if line.allSatisfy({ $0 == " " }) {
                lines.append("")
            } else {
                guard let line = PlainText.line(String(line), atMost: limit) else { return nil }
                lines.append(line)
            }
        }
        let whole = lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
        return whole.unicodeScalars.count <= limit ? whole : nil
    }

    /// What a search for nicknames or groups looks for, in the same form as they are stored.
    package static func searchTerm(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
    }

    /// One emoji, as it is drawn in colour; throws `invalid_emoji` for anything else.
    package static func emoji(_ text: String) throws -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let scalars = Array(text.unicodeScalars)
        guard text.count == 1, scalars.count <= 15, let first = scalars.first, first.properties.isEmoji,
            scalars.allSatisfy({ $0.properties.isEmoji || joiners.contains($0.value) })
        else { throw Refusal.groups.invalidEmoji }
        if scalars.count > 1 {
            guard scalars.contains(where: { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }) else {
                throw Refusal.groups.invalidEmoji
            }
            return text
        }
        if first.properties.isEmojiPresentation, !(0x1F1E6...0x1F1FF).contains(first.value) { return text }
        // Such as U+2764: a heart that is drawn as text unless the selector says otherwise.
        guard first.value >= 0x2000, !first.properties.isEmojiPresentation else { throw Refusal.groups.invalidEmoji }
        return text + "\u{FE0F}"
    }

    /// What holds the parts of an emoji together: the joiner, the selector, the keycap, and the letters of a flag's tag.
    private static let joiners = Set<UInt32>([0x200D, 0xFE0F, 0x20E3] + Array(0xE0020...0xE007F))
}
