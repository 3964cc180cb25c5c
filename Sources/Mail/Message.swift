import Postgres
import Time

/// One mail to one person, in plain text and HTML.
package struct Message: Sendable {
    package let to: Mailbox
    package let subject: String
    package let text: String
    package let html: String
    /// What the mail asks its reader to open, where it asks for one thing.
    package let link: String?
    /// Where its reader turns off mail of this kind; nil for mail about security, which cannot be turned off.
    package let optOut: String?

    package init(
        to: Mailbox, subject: String, text: String, html: String, link: String? = nil, optOut: String? = nil
    ) {
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
        self.link = link
        self.optOut = optOut
    }

    /// The message as RFC 5322 wants it: CRLF, ASCII, lines of at most 76 columns (headers with a long address apart).
    ///
    /// `id` must be unique among all messages sent; it becomes the `Message-ID`.
    package func rfc5322(from: Mailbox, date: Instant, id: String) -> [UInt8] {
        // Quoted-printable never yields "=_", so no body can contain the boundary.
        let boundary = "=_anthill_\(id)"
        // RFC 8058: mail programs offer a button that posts to this address.
        let optingOut = optOut.map {
            ["List-Unsubscribe:\r\n <\($0)>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click"]
        }
        let headers = [
            "Date: \(date.headerText) +0000",
            "From: \(from.headerText)",
            "To: \(to.headerText)",
            "Message-ID: <\(id)@\(from.asciiDomain)>",
            "Subject: \(subjectText)",
            "Auto-Submitted: auto-generated",
        ]
        let body = [
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"",
            "",
            part("text/plain", text, boundary),
            part("text/html", html, boundary),
            "--\(boundary)--",
            "",
        ]
        return Array((headers + (optingOut ?? []) + body).joined(separator: "\r\n").utf8)
    }

    private var subjectText: String {
        let line = String(subject.unicodeScalars.filter { $0.properties.generalCategory != .control })
        return line.isASCII && line.utf8.count <= 60 ? line : EncodedWord.text(line)
    }

    private func part(_ type: String, _ body: String, _ boundary: String) -> String {
        """
        --\(boundary)\r
        Content-Type: \(type); charset=utf-8\r
        Content-Transfer-Encoding: quoted-printable\r
        \r
        \(QuotedPrintable.encode(body))
        """
    }
}
