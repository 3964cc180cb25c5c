import Foundation
import Postgres
import Testing
import Time

@testable import Mail

@Suite struct MIMETests {
    @Test func `a subject outside ASCII becomes encoded words that split no character`() throws {
        let subject = String(repeating: "공부🐜", count: 20)
        let words = EncodedWord.text(subject).components(separatedBy: "\r\n ")
        #expect(words.count > 1)
        let decoded = try words.map { word in
            #expect(word.count <= 75 - "Subject: ".count)
            let base64 = try #require(word.wholeMatch(of: #/=\?UTF-8\?B\?(.+)\?=/#)?.1)
            let bytes = try #require(Data(base64Encoded: String(base64)))
            return try #require(String(bytes: bytes, encoding: .utf8))
        }
        #expect(decoded.joined() == subject)
    }

    @Test(arguments: [
        ("plain text", "plain text"), ("1 = 1", "1 =3D 1"), ("공", "=EA=B3=B5"), ("end ", "end=20"), ("tab\t", "tab=09"),
        (".dot", "=2Edot"), ("a\nb", "a\r\nb"), ("", ""), ("a\n", "a\r\n"), ("bell\u{7}", "bell=07"),
    ])
    func `quoted-printable writes`(text: String, encoded: String) {
        #expect(QuotedPrintable.encode(text) == encoded)
        #expect(QuotedPrintable.decode(encoded) == text)
    }

    @Test func `quoted-printable keeps lines within 76 columns, no dot first, and comes back`() {
        for length in [74, 75, 76, 77, 150, 151, 152, 153, 500] {
            for pattern in [".", "a", "=", "긴 ", "x."] {
                let text = String(repeating: pattern, count: length)
                let encoded = QuotedPrintable.encode(text)
                for line in encoded.components(separatedBy: "\r\n") {
                    #expect(line.utf8.count <= 76)
                    #expect(!line.hasPrefix("."))
                }
                #expect(QuotedPrintable.decode(encoded) == text)
            }
        }
    }

    @Test(arguments: [
        ("a@b.org", "a@b.org"), ("Anthill <a@b.org>", "\"Anthill\" <a@b.org>"),
        ("\"Ant, hill\" <a@b.org>", "\"Ant, hill\" <a@b.org>"), ("개미 <a@b.org>", "=?UTF-8?B?6rCc66+4?=\r\n <a@b.org>"),
        ("<a@b.org>", "a@b.org"),
    ])
    func `a mailbox reads and writes`(text: String, header: String) {
        #expect(Mailbox(text)?.headerText == header)
        #expect(Mailbox(text)?.address == "a@b.org")
        #expect(Mailbox(text)?.asciiDomain == "b.org")
    }

    @Test func `mail servers and headers get the domain in ASCII`() throws {
        let mailbox = try #require(Mailbox(address: "two@한국.kr"))
        #expect(mailbox.onTheWire == "two@xn--3e0b707e.kr")
        #expect(mailbox.headerText == mailbox.onTheWire)
        #expect(mailbox.address == "two@한국.kr")
    }

    @Test(arguments: [
        "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\r\nBcc: x@y", "a@b\n", "a@b\0", "A\r\nX: y <a@b>", "a@b, c@d",
        "<a@b",
        "a@b>", "a@b\u{85}c", "a@\(String(repeating: "b", count: 260))",
    ])
    func `what is no mailbox, or could split a header, is refused`(text: String) {
        #expect(Mailbox(text) == nil)
    }

    @Test func `mail that can be turned off offers one click, and other mail none`() throws {
        let to = try #require(Mailbox("a@b"))
        func source(_ optOut: String?) -> String {
            let message = Message(to: to, subject: "x", text: "", html: "", optOut: optOut)
            return String(decoding: message.rfc5322(from: to, date: .init(secondsSince1970: 0), id: "1"), as: UTF8.self)
        }
        let link = "https://anthill.example.org/unsubscribe/digest_mail/abc"
        #expect(
            source(link).contains(
                "\r\nList-Unsubscribe:\r\n <\(link)>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"))
        #expect(!source(nil).contains("List-Unsubscribe"))
        #expect(source(nil).contains("\r\nAuto-Submitted: auto-generated\r\n"))
    }

    @Test func `a subject cannot begin a header of its own`() throws {
        let message = Message(to: try #require(Mailbox("a@b")), subject: "x\r\nBcc: c@d", text: "", html: "")
        let source = String(
            decoding: message.rfc5322(from: message.to, date: .init(secondsSince1970: 0), id: "1"), as: UTF8.self)
        #expect(source.contains("\r\nSubject: xBcc: c@d\r\n"))
    }
}
