import Postgres
import Testing

@testable import Mail

@Suite struct ReturnedMailTests {
    private static let id = "0b1e7f60-6c1c-4c53-9d3a-7e0f2f6f3a11"

    private static func report(
        _ fields: String = "Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 no such user",
        about message: String = "Message-ID: <\(id)@example.org>\n"
    ) -> String {
        """
        From: MAILER-DAEMON@relay.example
        Message-ID: <e1a4c2d8-0000-4000-8000-000000000001@relay.example>
        Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

        --b1
        Content-Type: text/plain

        It did not arrive.
        --b1
        Content-Type: message/delivery-status

        Reporting-MTA: dns; relay.example

        Final-Recipient: rfc822; ant@example.org
        \(fields)

        --b1
        Content-Type: message/rfc822

        Subject: Your week
        \(message)
        --b1--

        """
    }

    @Test func `the mail and the last reply are read`() {
        #expect(ReturnedMail(Self.report())?.id == ID(Self.id))
        #expect(ReturnedMail(Self.report())?.reply == 550)
    }

    @Test(arguments: [
        report().replacing("\n", with: "\r\n"),
        report().replacing("Content-Type: message", with: "content-type: Message"),
        report("Action: FAILED (nothing more is tried)\nStatus: 5.1.10 (recipient not found)"),
        report("Status: 5.2.1\nAction:\n failed\nDiagnostic-Code: X-Unknown; closed"),
        report(about: "MESSAGE-ID:\n <\(id)@example.org>\n"),
    ])
    func `reports are read however they are written`(source: String) {
        #expect(ReturnedMail(source)?.id == ID(Self.id))
    }

    @Test(arguments: [
        "", "hello", "Content-Type: message/delivery-status",
        report("Action: delayed\nStatus: 4.4.1"),
        report("Action: delivered\nStatus: 2.0.0"),
        // Not the address: the sender, or what the mail says.
        report("Action: failed\nStatus: 5.7.1"),
        report("Action: failed\nStatus: 5.1.8"),
        report("Action: failed\nStatus: 5.3.4"),
        report("Status: 5.1.1"),
        report(about: "Message-ID: <somebody-elses@example.org>\n"),
        // The id of the report itself is not that of our mail.
        report(about: ""),
    ])
    func `any other mail is none that came back`(source: String) {
        #expect(ReturnedMail(source) == nil)
    }
}
