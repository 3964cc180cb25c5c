import HTTP
import Accounts
import Foundation
import Mail
import Postgres
import Time

extension AdminCommand {
    /// Sends a mail through the configured transport, past the outbox, and says what became of it.
    static func mailTest(to address: String, _ environment: [String: String]) throws -> Answer {
        let config = try Config(environment: environment)
        guard let to = Mailbox(address: address) else { throw Failure("'\(address)' is not an email address") }
        let (transport, _) = try App.mail(config) { _ in }
        let way: String
        switch config.mail {
        case .smtp(let server): way = "The mail server \(server.host) took the mail to \(address)."
        case .folder(let folder): way = "The mail to \(address) is in \(folder.path(percentEncoded: false))."
        case .none: throw Failure("ANTHILL_SMTP_URL is none: this service sends no mail")
        }
        let letter = AccountLetters(baseURL: config.baseURL.absoluteString)
            .mailTest(to: to, language: Command.language(environment))
        let now = Instant(secondsSince1970: Int(Date.now.timeIntervalSince1970))
        let began = ContinuousClock.now
        do {
            try transport.deliver(letter, from: config.mailFrom, date: now, id: ID().description)
        } catch {
            throw Failure("the mail to \(address) did not leave: \(error)")
        }
        let milliseconds = Int((ContinuousClock.now - began) / .milliseconds(1))
        return try Answer("\(way) It took \(milliseconds) ms.", Sent(to: address, milliseconds: milliseconds))
    }

    private struct Sent: Encodable {
        let to: String
        let milliseconds: Int
    }
}
