import Testing

@testable import Accounts

@Suite struct EmailAddressTests {
    @Test(arguments: [
        ("ant@example.org", "ant@example.org"),
        ("  Ant@Example.ORG\n", "ant@example.org"),
        ("a.b+study@sub.example.co.kr", "a.b+study@sub.example.co.kr"),
        ("ant@BÜCHER.example", "ant@xn--bcher-kva.example"),
        ("ant@Bu\u{308}cher.example", "ant@xn--bcher-kva.example"),
        ("ant@한국.kr", "ant@xn--3e0b707e.kr"),
        ("ant@example。org", "ant@example.org"),
        ("ant@ｅｘａｍｐｌｅ.org", "ant@example.org"),
        ("개미@example.org", "개미@example.org"),
        ("e\u{301}tude@example.org", "étude@example.org"),
    ])
    func `two spellings of an address have one canonical form`(written: String, canonical: String) throws {
        let email = try #require(EmailAddress(written))
        #expect(Array(email.canonical.utf8) == Array(canonical.utf8))
    }

    @Test func `the address is kept as its owner wrote it`() throws {
        #expect(try #require(EmailAddress(" Ant@Example.ORG ")).written == "Ant@Example.ORG")
    }

    @Test(arguments: [
        "", "ant", "@example.org", "ant@", "ant@example", "ant@@example.org", "a@b@example.org", "ant @example.org",
        "ant@exa mple.org", "ant@example..org", "ant@.org", "ant@example.org.", ".ant@example.org", "a..b@example.org",
        "ant.@example.org", "ant@-example.org", "ant@example-.org", "ant@exam_ple.org", "ant@[127.0.0.1]",
        "\"ant\"@example.org", "ant@example.org\r\nBcc: bee@example.org", "ant\u{0}@example.org",
        "ant@exa\u{0}mple.org",
        "ant\u{200B}@example.org", "ant\u{202E}@example.org", "a,b@example.org", "<ant@example.org>",
        "Ant <ant@example.org>", "ant@ex%41mple.org", "ant\u{2028}@example.org",
    ])
    func `what no mail could reach is refused`(text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test func `an address has at most 254 bytes and its local part 64`() {
        let domain = Array(repeating: String(repeating: "d", count: 61), count: 3).joined(separator: ".")
        #expect(EmailAddress(String(repeating: "a", count: 64) + "@example.org") != nil)
        #expect(EmailAddress(String(repeating: "a", count: 65) + "@example.org") == nil)
        #expect(EmailAddress(String(repeating: "a", count: 64) + "@" + domain + ".kro") != nil)
        #expect(EmailAddress(String(repeating: "a", count: 64) + "@" + domain + ".kroo") == nil)
    }

    @Test func `a canonical form is its own canonical form`() throws {
        for text in ["Ant@BÜCHER.example", "개미@한국.kr", "İ@example.org", "ß@example.org", "ΑΣ@example.org"] {
            let canonical = try #require(EmailAddress(text)).canonical
            #expect(EmailAddress(canonical)?.canonical == canonical)
        }
    }

    /// RFC 3492, 7.1, as far as domain names may hold them.
    @Test(arguments: [
        ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
        ("PročProstěNemluvíČesky", "xn--proprostnemluvesky-uyb24dma41a"),
        (
            "세계의모든사람들이한국어를이해한다면얼마나좋을까",
            "xn--989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c"
        ),
        ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
        ("münchen", "xn--mnchen-3ya"),
    ])
    func `labels are written in ASCII as in the standard's examples`(label: String, ascii: String) {
        let canonical = EmailAddress("ant@\(label).example")?.canonical
        #expect(canonical == (ascii.utf8.count <= 63 ? "ant@\(ascii).example" : nil))
    }
}
