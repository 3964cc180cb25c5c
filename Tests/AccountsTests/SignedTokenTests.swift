import API
import HTTP
import TestSupport
import Testing

@testable import Accounts

/// Keys that sign nothing but what these tests say.
enum TestKeys {
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiIWpovb6xQFHKrth
        xfgyjia56uRkv5O/PzHQNDDZhs+hRANCAARaHnI4pqhhGjiklPbRaEevkkKPGijr
        o/A6Xe4Uyjck6LCkr+VA021hUyZiizCu4IOesIB9l5tW92eYyiKIG2xf
        -----END PRIVATE KEY-----
        """
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCy2fIRaqab+lydUkUR
        /n3JG6u5AyvCmMY/Yll08/IUOtXNNcW38myfdSSvrdE5V7WhZANiAASGbAgZGA5V
        k71MQQAoeE+wNLMw0VmWdtevy+0UxWFLU3rNUjfDG5Bhhg2qx21dm5eGGNBga5d9
        Jcl5/jeQoc5o5DA19PV7a8xSs0MhDLggfYh/gpOoYeFh+afFMds96Tg=
        -----END PRIVATE KEY-----
        """
    /// The public half of `p256`.
    static let jwk: JSON = [
        "kty": "EC", "crv": "P-256", "kid": "k", "use": "sig", "alg": "ES256",
        "x": "Wh5yOKaoYRo4pJT20WhHr5JCjxoo66PwOl3uFMo3JOg", "y": "sKSv5UDTbWFTJmKLMK7gg56wgH2Xm1b3Z5jKIogbbF8",
    ]
}

@Suite struct SignedTokenTests {
    private let key = ProviderKey(TestKeys.jwk)!
    private let claims: [String: JSON] = ["sub": "ant", "iat": 1]

    private func signed() throws -> String {
        try #require(SigningKey(pem: TestKeys.p256)?.token(header: ["kid": "k"], claims: claims))
    }

    private func text(_ part: String) -> String { base64url(Array(part.utf8)) }

    @Test func `a signature verifies with the key that made it`() throws {
        let token = try #require(SignedToken(signed()))
        #expect(token.algorithm == .es256)
        #expect(token.keyID == "k")
        #expect(token.claims == claims)
        #expect(token.isSigned(by: key))
    }

    @Test func `one other character anywhere and it is signed no more`() throws {
        let good = try signed()
        for index in stride(from: 0, to: good.utf8.count, by: 7) {
            var bytes = Array(good.utf8)
            guard bytes[index] != UInt8(ascii: ".") else { continue }
            bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let token = SignedToken(String(decoding: bytes, as: UTF8.self))
            #expect(token?.isSigned(by: key) != true, "\(index)")
        }
    }

    @Test func `an algorithm that does not count makes it no token`() throws {
        let parts = try signed().split(separator: ".")
        for algorithm in ["none", "None", "", "HS256", "RS384", "PS256", "ES384", "EdDSA"] {
            let header = text(#"{"alg":"\#(algorithm)","kid":"k"}"#)
            #expect(SignedToken("\(header).\(parts[1]).\(parts[2])") == nil, "\(algorithm)")
            #expect(SignedToken("\(header).\(parts[1]).") == nil, "\(algorithm)")
        }
    }

    @Test(arguments: [
        #"{"kid":"k"}"#, #"{"alg":["ES256"]}"#, #"{"alg":"ES256","alg":"ES256"}"#, #"{"alg":"ES256","crit":["b64"]}"#,
        #"{"alg":"ES256","kid":7}"#, #"["ES256"]"#, "", "ES256", #"{"alg":"ES256"} x"#,
    ])
    func `a header that cannot be trusted makes it no token`(header: String) throws {
        let parts = try signed().split(separator: ".")
        #expect(SignedToken("\(text(header)).\(parts[1]).\(parts[2])") == nil)
    }

    @Test func `other forms are no tokens`() throws {
        let good = try signed()
        let parts = good.split(separator: ".")
        let forms = [
            "", ".", "..", "a.b", "\(good).", "\(good).x", " \(good)", "\(good)\n", "\(good)=",
            "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(text("[1]")).\(parts[2])",
            "\(parts[0]).\(text(#"{"sub":"a","sub":"b"}"#)).\(parts[2])", String(repeating: "A", count: 20_000),
        ]
        for form in forms { #expect(SignedToken(form) == nil, "\(form.prefix(80))") }
    }

    @Test func `another key has not signed it`() throws {
        let stranger = ProviderKey([
            "kty": "EC", "crv": "P-256", "x": "Wh5yOKaoYRo4pJT20WhHr5JCjxoo66PwOl3uFMo3JOg",
            "y": "Wh5yOKaoYRo4pJT20WhHr5JCjxoo66PwOl3uFMo3JOg",
        ])
        let token = try #require(SignedToken(signed()))
        #expect(!token.isSigned(by: try #require(stranger)))
    }

    @Test func `only keys for our algorithms are kept, and of them only what is public`() throws {
        let document = """
            {"keys": [
              {"kty":"EC","crv":"P-256","kid":"good","x":"a","y":"b","d":"private"},
              {"kty":"EC","crv":"P-384","x":"a","y":"b"}, {"kty":"EC","crv":"P-256","x":"a"},
              {"kty":"EC","crv":"P-256","x":"a","y":"b","use":"enc"},
              {"kty":"EC","crv":"P-256","x":"a","y":"b","alg":"RS256"},
              {"kty":"oct","k":"c2VjcmV0"}, {"kty":"RSA","n":"a"}, {"kty":"RSA","n":"a","e":"AQAB","alg":"RS512"}, 7,
              {"kty":"RSA","n":"a","e":"AQAB"}
            ]}
            """
        let keys = try #require(ProviderKey.all(in: Array(document.utf8)))
        #expect(keys.map(\.id) == ["good", nil])
        #expect(keys.map(\.algorithm) == [.es256, .rs256])
        #expect(!keys[0].jwk.contains("private"))
        #expect(ProviderKey.all(in: Array("{}".utf8)) == nil)
        #expect(ProviderKey.all(in: Array("[]".utf8)) == nil)
    }

    @Test(arguments: ["", "a key", TestKeys.p384, TestKeys.p256.replacing("PRIVATE", with: "PUBLIC")])
    func `what is no private key of the curve P-256 does not sign`(pem: String) {
        #expect(SigningKey(pem: pem) == nil)
    }
}
