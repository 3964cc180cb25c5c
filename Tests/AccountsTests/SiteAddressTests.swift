import HTTP
import TestSupport
import Testing

@testable import Accounts

@Suite struct SiteAddressTests {
    @Test(arguments: [
        ("https://Anthill.Example", "https://anthill.example", true),
        ("https://anthill.example:443", "https://anthill.example", true),
        ("https://anthill.example:8443", "https://anthill.example:8443", true),
        ("http://localhost:8080", "http://localhost:8080", false),
        ("http://localhost:80", "http://localhost", false),
    ])
    func `the origin is written as browsers write it`(base: String, origin: String, isSecure: Bool) {
        #expect(SiteAddress(base).origin == origin)
        #expect(SiteAddress(base).isSecure == isSecure)
    }

    @Test(arguments: [
        ([("Sec-Fetch-Site", "same-origin")], true),
        ([("Sec-Fetch-Site", "same-site"), ("Origin", "http://localhost:8080")], false),
        ([("Sec-Fetch-Site", "cross-site"), ("Origin", "http://localhost:8080")], false),
        ([("Sec-Fetch-Site", "none")], false),
        ([("Origin", "http://localhost:8080")], true),
        ([("Origin", "http://localhost:8081")], false),
        ([("Origin", "https://localhost:8080")], false),
        ([("Origin", "http://localhost:8080.evil.example")], false),
        ([("Origin", "null")], false),
        ([], false),
    ])
    func `only our own pages are same-origin`(headers: [(String, String)], isOurs: Bool) {
        var request = Request(.post, Target("/"))
        for (name, value) in headers { request.headers.add(name, value) }
        #expect(SiteAddress("http://localhost:8080").sent(request) == isOurs)
    }

    // A cookie's age is a number of the rules, which a database tells.
    @Test(.database) func `the cookie is bound to the host behind TLS`() {
        var response = Response.noContent
        let token = Token()
        TokenCookie.signIn(SiteAddress("https://anthill.example")).set(token, on: &response)
        #expect(
            response.headers["Set-Cookie"]
                == "__Host-anthill=\(token.text); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=31536000")
        response = .noContent
        TokenCookie.signIn(SiteAddress("http://localhost:8080")).set(token, on: &response)
        #expect(
            response.headers["Set-Cookie"] == "anthill=\(token.text); Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000")
    }
}
