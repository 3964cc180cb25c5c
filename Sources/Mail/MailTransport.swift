import Postgres
import Time

/// The way mail leaves: to a mail server, into a folder, or not at all.
package enum MailTransport: Sendable {
    case smtp(SMTPServer, SMTPPatience = SMTPPatience())
    case folder(MailFolder)
    /// Nothing is written or sent; what is in the outbox counts as done.
    case nowhere

    var leadsSomewhere: Bool { if case .nowhere = self { false } else { true } }

    /// Returns once the message is somebody else's responsibility. Blocks its thread.
    package func deliver(_ message: Message, from: Mailbox, date: Instant, id: String) throws {
        let bytes = message.rfc5322(from: from, date: date, id: id)
        switch self {
        case .smtp(let server, let patience): try server.deliver(bytes, from: from, to: message.to, patience: patience)
        case .folder(let folder): try folder.deliver(bytes, message)
        case .nowhere: break
        }
    }

    /// How long one delivery can take at most: libcurl's total, and the farewell after it.
    var longestDelivery: Duration {
        switch self {
        case .smtp(_, let patience): patience.total + patience.answer
        case .folder, .nowhere: .seconds(5)
        }
    }
}
