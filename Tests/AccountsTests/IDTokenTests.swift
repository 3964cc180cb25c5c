import HTTP
import TestSupport
import Testing
import Time

@testable import Accounts

@Suite struct IDTokenTests {
    private let now = 1_795_000_000
    private var check: IDTokenCheck {
        IDTokenCheck(
            issuer: "https://id.example", clientID: "anthill", nonce: "n", now: Instant(secondsSince1970: now))
    }

    private func claims(_ changes: [String: JSON] = [:]) -> [String: JSON] {
        var claims: [String: JSON] = [
            "iss": "https://id.example", "aud": "anthill", "sub": "ant", "nonce": "n", "exp": .integer(now + 300),
            "iat": .integer(now),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    private func subject(_ changes: [String: JSON]) -> String? {
        try? check.identity(in: claims(changes)).subject
    }

    @Test func `a token that says all of it is believed`() throws {
        #expect(
            try check.identity(in: claims())
                == ProvidedIdentity(issuer: "https://id.example", subject: "ant", email: nil))
    }

    @Test(arguments: ["iss", "aud", "sub", "nonce", "exp", "iat"])
    func `a token that lacks a claim is refused`(name: String) {
        var lacking = claims()
        lacking.removeValue(forKey: name)
        #expect(throws: IDTokenCheck.Refused.self) { try check.identity(in: lacking) }
    }

    @Test func `another issuer, audience or nonce is refused`() {
        for value in ["https://id.example/", "HTTPS://id.example", "", "anthill2", "n2"] as [JSON] + [7, .null, ["n"]] {
            for name in ["iss", "aud", "nonce"] { #expect(subject([name: value]) == nil, "\(name)") }
        }
    }

    @Test func `a token for several must have been made for us`() {
        #expect(subject(["aud": ["anthill"]]) == "ant")
        #expect(subject(["aud": ["anthill", "other"]]) == nil)
        #expect(subject(["aud": ["anthill", "other"], "azp": "anthill"]) == "ant")
        #expect(subject(["aud": ["anthill", "other"], "azp": "other"]) == nil)
        #expect(subject(["aud": ["other"], "azp": "anthill"]) == nil)
        #expect(subject(["azp": "anthill"]) == "ant")
        #expect(subject(["azp": "other"]) == nil)
        #expect(subject(["azp": .null]) == nil)
        #expect(subject(["aud": []]) == nil)
    }

    @Test func `clocks may be a minute apart`() {
        func believed(_ name: String, _ seconds: Int) -> Bool { subject([name: .integer(now + seconds)]) != nil }
        #expect(believed("exp", -59))
        #expect(!believed("exp", -60))
        #expect(believed("iat", 60))
        #expect(!believed("iat", 61))
        #expect(believed("nbf", 60))
        #expect(!believed("nbf", 61))
    }

    @Test func `an invalid date is refused`() {
        for value in [.null, "1795000300", .number(1e300), .integer(-1), .integer(.max), true, []] as [JSON] {
            for name in ["exp", "iat", "nbf"] { #expect(subject([name: value]) == nil, "\(name) \(value)") }
        }
        #expect(subject(["exp": .number(Double(now) + 0.5)]) == "ant")
    }

    @Test func `a subject is short and printable`() {
        for value in ["", JSON.string(String(repeating: "a", count: 256)), "a\nb", "개미", 7] as [JSON] {
            #expect(subject(["sub": value]) == nil)
        }
        #expect(subject(["sub": .string(String(repeating: "a", count: 255))])?.count == 255)
    }

    @Test func `an address counts only if the provider has verified it`() throws {
        func email(_ changes: [String: JSON]) throws -> String? {
            try check.identity(in: claims(changes)).email?.canonical
        }
        #expect(try email(["email": "Ant@Example.org", "email_verified": true]) == "ant@example.org")
        #expect(try email(["email": "ant@example.org", "email_verified": "true"]) == "ant@example.org")
        #expect(try email(["email": "ant@example.org"]) == nil)
        for flag in [false, "false", 1, .null, "yes"] as [JSON] {
            #expect(try email(["email": "ant@example.org", "email_verified": flag]) == nil)
        }
        #expect(try email(["email": "no address", "email_verified": true]) == nil)
    }
}
