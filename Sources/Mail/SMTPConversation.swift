import Foundation

/// What a mail server said about one message: whether it refuses the address, and the reply with which it refused. What is
/// said about the sign-in is not kept: it may be a password.
final class SMTPConversation {
    /// The part of the address before the @, which servers write alone, too.
    private let name: String
    private var isAboutAddress = false
    private var isAboutSignIn = false
    /// The server has been told whom the message is for. What it refuses before that is about us or about all mail.
    private(set) var isAboutMessage = false
    /// The server refused the address for good, and not because of us, as in "you may not send mail here" (RFC 3463: x.7.x
    /// is about security and policy).
    private(set) var refusesAddress = false
    /// The lines of the refusal of the last command; empty if it was not refused.
    private var lines: [String] = []

    init(about address: String) { name = address.prefix { $0 != "@" }.lowercased() }

    func said(_ line: UnsafeRawBufferPointer) {
        // The farewell is said after a refusal, and changes nothing.
        if line.starts(with: "QUIT".utf8) { return }
        isAboutAddress = line.starts(with: "RCPT ".utf8)
        if isAboutAddress { isAboutMessage = true }
        if line.starts(with: "AUTH ".utf8) { isAboutSignIn = true }
        if line.starts(with: "MAIL ".utf8) { isAboutSignIn = false }
        lines = []
    }

    /// A line such as `550 5.1.1 No such user`.
    func heard(_ line: UnsafeRawBufferPointer) {
        if isAboutAddress, line.first == UInt8(ascii: "5") {
            refusesAddress = !line.dropFirst(4).starts(with: "5.7.".utf8)
        }
        guard !isAboutSignIn, line.first == UInt8(ascii: "4") || line.first == UInt8(ascii: "5") else { return }
        lines.append(String(decoding: line.prefix(500), as: UTF8.self))
    }

    /// The refusal on one line: its code and its text, without words that may be an address, a link or a secret. nil if
    /// there was none.
    var refusal: String? {
        guard let first = lines.first else { return nil }
        let words = lines.flatMap { $0.dropFirst(4).split { !$0.isASCII || $0.isWhitespace || $0 < " " } }
        return String("\(first.prefix(3)) \(words.filter(isPlain).joined(separator: " "))".prefix(200))
    }

    private func isPlain(_ word: Substring) -> Bool {
        word.count <= 24 && !word.contains { "@/=<>".contains($0) }
            && word.lowercased().trimmingCharacters(in: .punctuationCharacters) != name
    }
}
