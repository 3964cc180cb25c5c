internal import CCurl
import Outgoing

/// How long a mail server may take, in all, and how long for one answer.
package struct SMTPPatience: Sendable {
    package let total: Duration
    package let answer: Duration

    /// `total` bounds everything from the look-up of the host's name to the acknowledged end of the message.
    package init(total: Duration = .seconds(30), answer: Duration = .seconds(15)) {
        self.total = total
        self.answer = answer
    }
}

extension SMTPServer {
    /// Hands one message over; returns when the server has taken responsibility for it. Blocks its thread.
    func deliver(_ bytes: [UInt8], from: Mailbox, to: Mailbox, patience: SMTPPatience) throws {
        guard LibCurl.isReady, let handle = curl_easy_init() else { throw DeliveryError(CURLE_OUT_OF_MEMORY, reply: 0) }
        defer { curl_easy_cleanup(handle) }
        guard let recipients = curl_slist_append(nil, "<\(to.onTheWire)>") else {
            throw DeliveryError(CURLE_OUT_OF_MEMORY, reply: 0)
        }
        defer { curl_slist_free_all(recipients) }
        let source = Source(bytes)
        let conversation = SMTPConversation(about: to.address)
        try withExtendedLifetime((source, conversation)) {
            let transfer = Transfer(handle: handle, conversation: conversation)
            try configure(transfer, patience)
            try transfer.set(CURLOPT_MAIL_FROM, "<\(from.onTheWire)>")
            try transfer.set(CURLOPT_URL, url(greetingAs: from.asciiDomain))
            try transfer.check(anthill_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients))
            try transfer.check(
                anthill_curl_set_reader(handle, read, Unmanaged.passUnretained(source).toOpaque()))
            try transfer.check(
                anthill_curl_set_listener(handle, listen, Unmanaged.passUnretained(conversation).toOpaque()))
            // The clean-up says farewell, and nobody listens any more.
            defer { _ = anthill_curl_set_listener(handle, nil, nil) }
            try transfer.check(curl_easy_perform(handle))
        }
    }

    private func configure(_ transfer: Transfer, _ patience: SMTPPatience) throws {
        try transfer.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        try transfer.set(CURLOPT_PROXY, "")
        try transfer.set(CURLOPT_NOSIGNAL, 1)
        try transfer.set(CURLOPT_UPLOAD, 1)
        try transfer.set(CURLOPT_TIMEOUT_MS, patience.total.milliseconds)
        try transfer.set(CURLOPT_CONNECTTIMEOUT_MS, patience.answer.milliseconds)
        // The total does not bound the QUIT of the clean-up; this does.
        try transfer.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, patience.answer.milliseconds / 1000))
        try transfer.set(
            CURLOPT_USE_SSL, encryption == .none ? Int(CURLUSESSL_NONE.rawValue) : Int(CURLUSESSL_ALL.rawValue))
        try transfer.set(CURLOPT_SSL_VERIFYPEER, 1)
        try transfer.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let authorities {
            try transfer.set(CURLOPT_CAINFO, authorities)
        }
        if let user, let password {
            try transfer.set(CURLOPT_USERNAME, user)
            try transfer.set(CURLOPT_PASSWORD, password)
        }
    }

    /// The path is what libcurl says after `EHLO`.
    private func url(greetingAs domain: String) -> String {
        "\(encryption == .implicit ? "smtps" : "smtp")://\(host):\(port)/\(domain)"
    }
}

/// A libcurl handle whose every setting is checked.
private struct Transfer {
    let handle: UnsafeMutableRawPointer
    let conversation: SMTPConversation

    func set(_ option: CURLoption, _ value: Int) throws {
        try check(anthill_curl_set_long(handle, option, value))
    }

    func set(_ option: CURLoption, _ value: String) throws {
        try check(anthill_curl_set_string(handle, option, value))
    }

    func check(_ result: CURLcode) throws {
        guard result != CURLE_OK else { return }
        throw DeliveryError(
            result, reply: anthill_curl_get_long(handle, CURLINFO_RESPONSE_CODE), said: conversation)
    }
}

/// The message as libcurl reads it, piece by piece.
private final class Source {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = rest.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }
}

private let read: anthill_curl_reader = { buffer, size, count, source in
    guard let buffer, let source else { return 0 }
    let room = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
    return Unmanaged<Source>.fromOpaque(source).takeUnretainedValue().read(into: room)
}

private let listen: anthill_curl_listener = { _, type, data, size, ear in
    guard let data, let ear else { return 0 }
    let conversation = Unmanaged<SMTPConversation>.fromOpaque(ear).takeUnretainedValue()
    let line = UnsafeRawBufferPointer(start: data, count: size)
    switch type {
    case CURLINFO_HEADER_OUT: conversation.said(line)
    case CURLINFO_HEADER_IN: conversation.heard(line)
    default: break
    }
    return 0
}

extension Duration {
    fileprivate var milliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
