import Foundation
import HTTP
import Postgres
import Reactor
import Testing
import Time

@testable import Mail

/// Against a real mail server process.
@Suite(.serialized) struct SMTPTests {
    @Test(arguments: [SMTPServerProcess.Encryption.startTLS, .implicit])
    func `a message arrives encrypted, whole and as it was written`(encryption: SMTPServerProcess.Encryption)
        async throws
    {
        let server = try await SMTPServerProcess.start(.accept, encryption: encryption)
        try await deliver(to: try server.address())
        let message = try #require(try server.accepted().first)
        #expect(message.encrypted)
        #expect(message.mail_from == "anthill@example.org")
        #expect(message.rcpt_tos == ["dodam@example.kr"])
        #expect(message.greeting == "example.org")
        #expect(message.subject == "공부 개미 가입을 마쳐 주세요")
        #expect(message.from == "공부 개미 <anthill@example.org>")
        #expect(message.to == "dodam@example.kr")
        #expect(message.message_id == "<test.1@example.org>")
        #expect(message.date == "2026-11-21T05:00:00+00:00")
        #expect(message.text.replacing("\r\n", with: "\n") == sample.text)
        #expect(message.html.replacing("\r\n", with: "\n") == sample.html)
        #expect(message.longest_line <= 76)
        #expect(message.is_ascii)
        #expect(message.defects == [])
    }

    @Test func `it logs in with a user and a password that need escaping in the URL`() async throws {
        let server = try await SMTPServerProcess.start(.accept, encryption: .startTLS, login: ("anthill@x", "p@ss:/?#"))
        try await deliver(to: try server.address())
        #expect(try server.accepted().map(\.user) == ["anthill@x"])
    }

    @Test func `a wrong password is an error that can pass`() async throws {
        let server = try await SMTPServerProcess.start(.accept, encryption: .startTLS, login: ("anthill", "right"))
        let error = await #expect(throws: DeliveryError.self) {
            try await deliver(to: try server.address(password: "wrong"))
        }
        #expect(error?.isRefusal == false)
        #expect(try server.accepted().isEmpty)
    }

    @Test(arguments: [SMTPServerProcess.Encryption.startTLS, .implicit])
    func `nothing is sent to a server whose certificate is not trusted`(
        encryption: SMTPServerProcess.Encryption
    ) async throws {
        let server = try await SMTPServerProcess.start(.accept, encryption: encryption)
        await #expect(throws: DeliveryError.self) { try await deliver(to: try server.address(trusting: false)) }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `nothing is sent to a server under another name than its certificate's`() async throws {
        let server = try await SMTPServerProcess.start(.accept, encryption: .startTLS)
        await #expect(throws: DeliveryError.self) { try await deliver(to: try server.address(host: "127.0.0.1")) }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `nothing is sent to a server that offers no encryption`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        let url = "smtp://localhost:\(server.port)"
        await #expect(throws: DeliveryError.self) { try await deliver(to: try SMTPServer(url: url)) }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `a refusal for now is no refusal for good`() async throws {
        let server = try await SMTPServerProcess.start(.refuse, .reject)
        let first = await #expect(throws: DeliveryError.self) { try await deliver(to: try server.address()) }
        #expect(first?.reply == 451)
        #expect(first?.isRefusal == false)
        let second = await #expect(throws: DeliveryError.self) { try await deliver(to: try server.address()) }
        #expect(second?.reply == 550)
        #expect(second?.isRefusal == true)
    }

    @Test(arguments: [
        (SMTPServerProcess.Step.reject, true), (.forbid, false), (.refuse, false), (.spurn, false), (.closed, false),
    ])
    func `a bad address is told from all else that a server refuses`(step: SMTPServerProcess.Step, isBad: Bool)
        async throws
    {
        let server = try await SMTPServerProcess.start(step)
        let error = await #expect(throws: DeliveryError.self) { try await deliver(to: try server.address()) }
        #expect(error?.isBadAddress == isBad)
        #expect(error?.isRefusal == ![.refuse, .closed].contains(step))
    }

    @Test func `an error tells how the server refused, without the address`() async throws {
        let server = try await SMTPServerProcess.start(.reject)
        let error = await #expect(throws: DeliveryError.self) { try await deliver(to: try server.address()) }
        #expect(error?.description == "refused: 550 5.1.1 nobody here is called")
    }

    @Test func `of a refusal no word is kept that may be an address, a link or a secret`() {
        let conversation = SMTPConversation(about: "Dodam@example.kr")
        func exchange(_ said: String, _ heard: String...) {
            Array(said.utf8).withUnsafeBytes(conversation.said)
            for line in heard { Array(line.utf8).withUnsafeBytes(conversation.heard) }
        }
        exchange("AUTH PLAIN AGEAaHVudGVyMg\r\n", "535 hunter2 is wrong\r\n")
        #expect(conversation.refusal == nil)
        exchange("MAIL FROM:<a@b>\r\n", "250 OK\r\n")
        let link = "https://study.example/welcome#token=x"
        exchange(
            "RCPT TO:<dodam@example.kr>\r\n", "550-5.1.1 <dodam@example.kr>: no user dodam, see\r\n",
            "550 5.1.1 \(link) \(String(repeating: "k", count: 43)) there\r\n")
        exchange("QUIT\r\n", "221 bye\r\n")
        #expect(conversation.refusal == "550 5.1.1 no user see 5.1.1 there" && conversation.refusesAddress)
        exchange("DATA\r\n", "354 go on\r\n")
        #expect(conversation.refusal == nil)
    }

    @Test func `a server that stalls is given up in time, farewell included`() async throws {
        let server = try await SMTPServerProcess.start(.stall)
        let patience = SMTPPatience(total: .seconds(1), answer: .seconds(1))
        let began = ContinuousClock.now
        await #expect(throws: DeliveryError.self) { try await deliver(to: try server.address(), patience: patience) }
        // Far less than the server stalls and curl waits by itself.
        #expect(ContinuousClock.now - began < .seconds(100))
    }

    @Test func `a server that hangs up after the message has not taken it`() async throws {
        let server = try await SMTPServerProcess.start(.hangUp)
        await #expect(throws: DeliveryError.self) { try await deliver(to: try server.address()) }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `a port where nobody listens is an error`() async throws {
        await #expect(throws: DeliveryError.self) {
            try await deliver(to: try SMTPServer(url: "smtp://localhost:1?tls=none"))
        }
    }

    @Test func `lines that begin with a dot and long lines survive`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        let text = ".\n..\n. dot\n" + String(repeating: ".x", count: 200) + "\n" + String(repeating: "긴 줄 ", count: 500)
        let message = Message(to: to, subject: "dots", text: text, html: "<p>\(text)</p>")
        try await deliver(message, to: try server.address())
        let accepted = try #require(try server.accepted().first)
        #expect(accepted.text.replacing("\r\n", with: "\n") == text)
        #expect(accepted.longest_line <= 76)
    }

    private let to = Mailbox(address: "dodam@example.kr")!

    private var sample: Message {
        sampleLetter(to: to, token: "abc-_123", language: .ko)
    }

    private func deliver(
        _ message: Message? = nil, to server: SMTPServer, patience: SMTPPatience = SMTPPatience()
    ) async throws {
        let transport = MailTransport.smtp(server, patience)
        let from = try #require(Mailbox("공부 개미 <anthill@example.org>"))
        let date = try #require(Instant(rfc3339: "2026-11-21T05:00:00Z"))
        try await blocking.run { [message = message ?? sample] in
            try transport.deliver(message, from: from, date: date, id: "test.1")
        }
    }
}
