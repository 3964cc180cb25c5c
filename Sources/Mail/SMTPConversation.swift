/// What a mail server said to the address of a message. Of all else that is said nothing is kept: it may be a password.
final class SMTPConversation {
    private var isAboutAddress = false
    /// The server refused the address for good, and not because of us, as in "you may not send mail here" (RFC 3463: x.7.x
    /// is about security and policy).
    private(set) var refusesAddress = false

    func said(_ line: UnsafeRawBufferPointer) { isAboutAddress = line.starts(with: "RCPT ".utf8) }

    /// A line such as `550 5.1.1 No such user`.
    func heard(_ line: UnsafeRawBufferPointer) {
        if isAboutAddress, line.first == UInt8(ascii: "5") {
            refusesAddress = !line.dropFirst(4).starts(with: "5.7.".utf8)
        }
    }
}
