import API
import Accounts
import HTTP
import TestSupport
import Testing
import Time

@testable import Push

@Suite struct VapidTests {
    private let now = Instant("2026-11-21T05:00:00Z")!

    @Test func `the key follows from the secret, so that every instance has the same`() {
        let (one, other) = (vapid("the secret of tests"), vapid("another secret of tests"))
        #expect(one.publicKey == vapid("the secret of tests").publicKey)
        #expect(one.publicKey != other.publicKey)
        #expect(P256Key.isPoint(bytes(base64url: one.publicKey) ?? []))
    }

    @Test func `a token is for one push service, for an hour`() throws {
        let header = try #require(vapid().authorization(for: "https://Push.Example.org/send/abc?x=1", at: now))
        let match = try #require(header.wholeMatch(of: /vapid t=(.+)\.(.+)\.(.+), k=(.+)/))
        #expect(String(match.4) == vapid().publicKey)
        #expect(try members(match.1) == ["alg": "ES256", "typ": "JWT"])
        #expect(
            try members(match.2) == [
                "aud": "https://push.example.org", "exp": .integer(now.secondsSince1970 + 3600),
                "sub": "https://anthill.example.org",
            ])
        #expect(try #require(bytes(base64url: match.3)).count == 64)
    }

    @Test func `there is no token for what is no address`() {
        #expect(vapid().authorization(for: "mailto:ant@example.org", at: now) == nil)
    }

    private func vapid(_ secret: String = "the secret of tests") -> Vapid {
        Vapid(Secret(secret), contact: "https://anthill.example.org")
    }

    private func members(_ part: Substring) throws -> [String: JSON] {
        guard case .object(let members)? = JSON(text: try #require(bytes(base64url: part))) else { return [:] }
        return members
    }
}
