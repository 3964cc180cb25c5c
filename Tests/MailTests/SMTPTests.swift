import Foundation
import HTTP
import Postgres
import Testing

@testable import Mail

/// Against a real mail server process.
@Suite struct SMTPTests {
    @Test(arguments: [SMTPServerProcess.Encryption.startTLS, .implicit])
    func `a message arrives encrypted, whole and as it was written`(encryption: SMTPServerProcess.Encryption) throws {
        let server = try SMTPServerProcess(.accept, encryption: encryption)
        try deliver(to: try server.address())
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

    @Test func `it logs in with a user and a password that need escaping in the URL`() throws {
        let server = try SMTPServerProcess(.accept, encryption: .startTLS, login: ("anthill@x", "p@ss:/?#"))
        try deliver(to: try server.address())
        #expect(try server.accepted().map(\.user) == ["anthill@x"])
    }

    @Test func `a wrong password is an error that can pass`() throws {
        let server = try SMTPServerProcess(.accept, encryption: .startTLS, login: ("anthill", "right"))
        let error = #expect(throws: DeliveryError.self) { try deliver(to: try server.address(password: "wrong")) }
        #expect(error?.isRefusal == false)
        #expect(try server.accepted().isEmpty)
    }

    @Test(arguments: [SMTPServerProcess.Encryption.startTLS, .implicit])
    func `nothing is sent to a server whose certificate is not trusted`(
        encryption: SMTPServerProcess.Encryption
    ) throws {
        let server = try SMTPServerProcess(.accept, encryption: encryption)
        #expect(throws: DeliveryError.self) { try deliver(to: try server.address(trusting: false)) }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `nothing is sent to a server under another name than its certificate's`() throws {
        let server = try SMTPServerProcess(.accept, encryption: .startTLS)
        #expect(throws: DeliveryError.self) { try deliver(to: try server.address(host: "127.0.0.1")) }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `nothing is sent to a server that offers no encryption`() throws {
        let server = try SMTPServerProcess(.accept)
        let url = "smtp://localhost:\(server.port)"
        #expect(throws: DeliveryError.self) { try deliver(to: try SMTPServer(url: url)) }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `a refusal for now is no refusal for good`() throws {
        let server = try SMTPServerProcess(.refuse, .reject)
        let first = #expect(throws: DeliveryError.self) { try deliver(to: try server.address()) }
        #expect(first?.reply == 451)
        #expect(first?.isRefusal == false)
        let second = #expect(throws: DeliveryError.self) { try deliver(to: try server.address()) }
        #expect(second?.reply == 550)
        #expect(second?.isRefusal == true)
    }

    @Test func `an error repeats neither the address nor the server's words`() throws {
        let server = try SMTPServerProcess(.reject)
        let error = #expect(throws: DeliveryError.self) { try deliver(to: try server.address()) }
        let words = try #require(error?.description)
        #expect(!words.contains("dodam"))
        #expect(!words.contains("nobody"))
        #expect(words.hasSuffix("after reply 550"))
    }

    @Test func `a server that stalls is given up in time, farewell included`() throws {
        let server = try SMTPServerProcess(.stall)
        let began = ContinuousClock.now
        #expect(throws: DeliveryError.self) { try deliver(to: try server.address()) }
        #expect(ContinuousClock.now - began < .seconds(4))
    }

    @Test func `a server that hangs up after the message has not taken it`() throws {
        let server = try SMTPServerProcess(.hangUp)
        #expect(throws: DeliveryError.self) { try deliver(to: try server.address()) }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `a port where nobody listens is an error`() throws {
        #expect(throws: DeliveryError.self) { try deliver(to: try SMTPServer(url: "smtp://localhost:1?tls=none")) }
    }

    @Test func `lines that begin with a dot and long lines survive`() throws {
        let server = try SMTPServerProcess(.accept)
        let text = ".\n..\n. dot\n" + String(repeating: ".x", count: 200) + "\n" + String(repeating: "긴 줄 ", count: 500)
        let message = Message(to: to, subject: "dots", text: text, html: "<p>\(text)</p>")
        try deliver(message, to: try server.address())
        let accepted = try #require(try server.accepted().first)
        #expect(accepted.text.replacing("\r\n", with: "\n") == text)
        #expect(accepted.longest_line <= 76)
    }

    private let to = Mailbox(address: "dodam@example.kr")!

    private var sample: Message {
        Letters(baseURL: "https://anthill.example.org").registration(to: to, token: "abc-_123", language: .ko)
    }

    private func deliver(_ message: Message? = nil, to server: SMTPServer) throws {
        let transport = MailTransport.smtp(server, SMTPPatience(total: .seconds(2), answer: .seconds(1)))
        try transport.deliver(
            message ?? sample, from: try #require(Mailbox("공부 개미 <anthill@example.org>")),
            date: try #require(Instant(rfc3339: "2026-11-21T05:00:00Z")), id: "test.1")
    }
}
