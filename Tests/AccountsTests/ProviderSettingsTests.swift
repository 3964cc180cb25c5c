import Foundation
import Outgoing
import Testing

@testable import Accounts

@Suite struct ProviderSettingsTests {
    private func providers(_ environment: [String: String]) throws -> [Provider] {
        try ProviderSettings.providers(
            in: Dictionary(uniqueKeysWithValues: environment.map { ("ANTHILL_OIDC_\($0.key)", $0.value) }))
    }

    private func file(_ text: String) throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(path: "anthill-key-\(UUID().uuidString)")
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path()
    }

    @Test func `Google needs an id and a secret, Kakao an id alone`() throws {
        let found = try providers([
            "GOOGLE_CLIENT_ID": "g", "GOOGLE_CLIENT_SECRET": "s", "KAKAO_CLIENT_ID": "k", "ACME_ISSUER": "",
        ])
        #expect(found.map(\.id) == ["google", "kakao"])
        #expect(found.map(\.issuer) == ["https://accounts.google.com", "https://kauth.kakao.com"])
        guard case .secret("s") = found[0].credential, case .none = found[1].credential else {
            Issue.record("the secrets are not as they were given")
            return
        }
    }

    @Test func `Apple signs its secret with the key of a file`() throws {
        let path = try file(TestKeys.p256)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let found = try providers([
            "APPLE_CLIENT_ID": "a", "APPLE_TEAM_ID": "t", "APPLE_KEY_ID": "k", "APPLE_KEY_FILE": path,
        ])
        guard case .signed(_, keyID: "k", team: "t") = found.first?.credential else {
            Issue.record("there is no key")
            return
        }
        #expect(found[0].scope == "openid", "asked for an address, Apple answers by a form that another site posts")
    }

    @Test func `any other provider has an issuer`() throws {
        let found = try providers([
            "UNI_ISSUER": "https://login.example.edu/realm", "UNI_CLIENT_ID": "x", "UNI_LABEL": "University",
        ])
        #expect(found.first?.id == "uni")
        #expect(found.first?.name == "University")
    }

    @Test(arguments: [
        (["UNI_CLIENT_ID": "x"], "UNI_ISSUER"),
        (["UNI_ISSUER": "http://login.example.edu", "UNI_CLIENT_ID": "x"], "UNI_ISSUER"),
        (["UNI_ISSUER": "https://login.example.edu?x=1", "UNI_CLIENT_ID": "x"], "UNI_ISSUER"),
        (["UNI_ISSUER": "https://u:p@login.example.edu", "UNI_CLIENT_ID": "x"], "UNI_ISSUER"),
        (["UNI_ISSUER": "login.example.edu", "UNI_CLIENT_ID": "x"], "UNI_ISSUER"),
        (["GOOGLE_CLIENT_SECRET": "x"], "GOOGLE_CLIENT_ID"), (["GOOGLE_CLIENT_ID": "x"], "GOOGLE_CLIENT_SECRET"),
        (["GOOGLE_CLIENT_ID": "x", "GOOGLE_KEY_FILE": "/x"], "GOOGLE_KEY_FILE"),
        (["GOOGLE_CLIENTID": "x"], "GOOGLE_CLIENTID"),
        (["GOOGLE_CLIENT_NAME": "x"], "GOOGLE_CLIENT_NAME"),
        (["google_CLIENT_ID": "x"], "google_CLIENT_ID"),
        (
            [
                "UNI_ISSUER": "https://accounts.google.com", "UNI_CLIENT_ID": "x", "GOOGLE_CLIENT_ID": "x",
                "GOOGLE_CLIENT_SECRET": "s",
            ], "UNI_ISSUER"
        ),
        (["APPLE_CLIENT_ID": "a"], "APPLE_TEAM_ID"),
        (["APPLE_CLIENT_ID": "a", "APPLE_TEAM_ID": "t", "APPLE_KEY_ID": "k"], "APPLE_KEY_FILE"),
        (["APPLE_CLIENT_ID": "a", "APPLE_CLIENT_SECRET": "s"], "APPLE_CLIENT_SECRET"),
        (
            ["APPLE_CLIENT_ID": "a", "APPLE_TEAM_ID": "t", "APPLE_KEY_ID": "k", "APPLE_KEY_FILE": "/nowhere"],
            "APPLE_KEY_FILE"
        ),
    ])
    func `a wrong variable is refused by its name`(environment: [String: String], name: String) {
        let wrong = #expect(throws: ProviderSettings.Wrong.self) { try providers(environment) }
        #expect(wrong?.variable == "ANTHILL_OIDC_\(name)")
    }

    @Test func `a file without a key of the right curve is refused`() throws {
        let path = try file(TestKeys.p384)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let wrong = #expect(throws: ProviderSettings.Wrong.self) {
            try providers(["APPLE_CLIENT_ID": "a", "APPLE_TEAM_ID": "t", "APPLE_KEY_ID": "k", "APPLE_KEY_FILE": path])
        }
        #expect(wrong?.variable == "ANTHILL_OIDC_APPLE_KEY_FILE")
    }

    @Test(arguments: [
        ("https://id.example/x", true), ("http://127.0.0.1:9/x", true), ("http://localhost/x", true),
        ("http://[::1]:9/x", true), ("http://id.example/x", false), ("http://127.0.0.1.example/x", false),
        ("file:///etc/passwd", false), ("https://", false), ("https://u:p@id.example/", false), ("", false),
    ])
    func `nothing but TLS leaves this machine`(address: String, isAllowed: Bool) {
        #expect(WebClient.isAllowed(address) == isAllowed)
    }
}
