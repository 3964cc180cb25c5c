import Foundation
import Postgres
import Testing

@testable import Accounts

@Suite struct TokenTests {
    private let secret = Secret(String(repeating: "s", count: 32))

    @Test func `a token survives being written and read`() throws {
        let token = Token()
        #expect(token.text.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
        #expect(try #require(Token(token.text)).bytes == token.bytes)
    }

    @Test func `two tokens differ`() {
        #expect(Token().bytes != Token().bytes)
    }

    @Test(arguments: [
        "", "short", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
        String(repeating: "+", count: 43), String(repeating: "A", count: 42) + "=", String(repeating: "é", count: 43),
    ])
    func `what is no token is not read`(text: String) {
        #expect(Token(text) == nil)
    }

    @Test func `only one spelling of a token is read`() {
        // The last character holds four bits of the token and two that must be nothing.
        #expect(Token(String(repeating: "A", count: 43)) != nil)
        #expect(Token(String(repeating: "A", count: 42) + "B") == nil)
    }

    @Test func `what is stored depends on purpose and secret`() {
        let token = Token()
        #expect(token.mac(.signIn, secret) == token.mac(.signIn, secret))
        #expect(token.mac(.signIn, secret) != token.mac(.registration, secret))
        #expect(token.mac(.signIn, secret) != token.mac(.signIn, Secret("another secret of 32 characters!")))
        #expect(token.mac(.signIn, secret) != token.bytes)
    }

    @Test func `ids that are made later sort later`() {
        let ids = (0..<50).map { ID.ordered(at: Date(timeIntervalSince1970: 1_795_000_000 + Double($0) / 500)) }
        #expect(ids.map(\.description) == ids.map(\.description).sorted())
        #expect(Set(ids).count == 50)
    }
}
