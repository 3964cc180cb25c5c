import Accounts
import Testing

@Suite struct EmailAddressTests {
    @Test(arguments: [
        (" Jiwoo.K@Example.ORG ", "jiwoo.k@example.org"), ("나무@한국.kr", "나무@xn--3e0b707e.kr"),
        ("a@Bücher.example", "a@xn--bcher-kva.example"), ("a@ＡＢＣ。com", "a@abc.com"), ("a+b@c.de", "a+b@c.de"),
    ])
    func `two spellings of an address have one canonical form`(text: String, canonical: String) {
        #expect(EmailAddress(text)?.canonical == canonical)
    }

    @Test(arguments: [
        "", "a", "@b.c", "a@", "a@b", "a@b..c", "a@-b.c", "a@b-.c", "a@b c.de", "a b@c.de", "a@b.c\r\nBcc: d@e.f",
        "a@b%41.c",
        ".a@b.c", "a..b@c.d", "\"a b\"@c.d", "a@[127.0.0.1]", "a@" + String(repeating: "b", count: 64) + ".c",
    ])
    func `what is no address is refused`(text: String) {
        #expect(EmailAddress(text) == nil)
    }
}
