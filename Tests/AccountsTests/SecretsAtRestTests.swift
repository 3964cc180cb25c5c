import Foundation
import HTTP
import Mail
import Postgres
import Reactor
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct SecretsAtRestTests {
    /// How many rows of all tables hold `text` in any of their columns.
    private func rows(holding text: String, in service: AccountsService) async throws -> Int {
        let tables = try await service.test.database.read(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()"
        ).decode(String.self)
        #expect(tables.count > 10)
        var count = 0
        for table in tables {
            // Bytes are shown as hexadecimal digits, so a raw token would be found in that form.
            let bytes = Token(text)?.bytes.map { String(format: "%02x", $0) }.joined() ?? text
            try await service.test.sql(
                """
                CREATE OR REPLACE FUNCTION found() RETURNS integer LANGUAGE sql AS $$
                  SELECT count(*)::integer FROM \(table) t
                  WHERE strpos(t::text, '\(text)') > 0 OR strpos(t::text, '\(bytes)') > 0 $$
                """)
            count += try await service.number("SELECT found()")
        }
        return count
    }

    @Test func `no token and no password is kept as it is`() async throws {
        let service = try AccountsService()
        let registration = try await service.registrationToken("ant@example.org")
        let made = await service.client.post("/api/v1/users", json: service.user(registration))
        let bearer = try #require(made.json["sign_in"]["token"].string)
        try await service.test.advance(61)
        let reset = try await service.resetToken("ant@example.org")
        _ = try await service.signIn("ant@example.org", "an attempt that fails")

        let change: JSON = ["email": "new@example.org", "password": .string(AccountsService.password)]
        _ = await service.client.post("/api/v1/me/email-changes", json: change, bearer: bearer)
        let tokens = try await service.mail().compactMap { $0.message.link?.split(separator: "#token=").last }
        #expect(tokens.count == 2)

        for secret in tokens.map(String.init)
            + [registration, bearer, reset, AccountsService.password, "an attempt that fails"]
        {
            #expect(try await rows(holding: secret, in: service) == 0)
        }
        #expect(try await rows(holding: "ant@example.org", in: service) > 0)
        #expect(try await rows(holding: "$argon2id$", in: service) == 1)
    }

    @Test func `counters do not tell which addresses were tried`() async throws {
        let service = try AccountsService()
        _ = try await service.signIn("secret-ant@example.org", "wrong")
        #expect(try await rows(holding: "secret-ant", in: service) == 0)
    }

    @Test func `what happened to somebody's security is written down`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        _ = try await service.signIn("ant@example.org", "wrong", from: "192.0.2.7")
        let second = try await service.bearer()
        _ = await service.client.delete("/api/v1/sign-ins/current", bearer: second)
        _ = await service.client.put(
            "/api/v1/me/password", json: ["current": .string(AccountsService.password), "new": "a quite new one 7"],
            bearer: bearer)
        for nickname in ["일개미", "일개미"] as [JSON] {
            _ = await service.client.patch("/api/v1/me", json: ["nickname": nickname, "theme": "dark"], bearer: bearer)
        }
        for email in ["Ant@example.org", "nobody@example.org"] as [JSON] {
            _ = await service.client.post("/api/v1/password-resets", json: ["email": email])
        }
        let kinds = try await service.test.database.read(
            "SELECT kind FROM audit_events WHERE uid = \(uid) ORDER BY kind"
        ).decode(String.self)
        #expect(
            kinds == [
                "nickname_changed", "password_changed", "password_reset_requested", "registered", "signed_in",
                "signed_out", "wrong_password",
            ])
        #expect(
            try await service.number(
                """
                SELECT count(*) FROM audit_events
                WHERE kind = 'password_reset_requested' AND client IS NOT NULL AND actor IS NULL
                """) == 2)
        #expect(
            try await service.number(
                "SELECT count(*) FROM audit_events WHERE kind = 'wrong_password' AND client = '192.0.2.7'") == 1)
        await #expect(throws: PostgresError.self) { try await service.test.sql("DELETE FROM audit_events") }
    }

    @Test func `what has run out is cleaned away, and nothing else`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        try await service.register()
        _ = try await service.resetToken("ant@example.org")
        _ = try await service.signIn("ant@example.org", "wrong")
        try await Chore.removeExpired(service.test.database).run()
        #expect(try await service.number("SELECT count(*) FROM sign_ins") == 1)
        #expect(try await service.number("SELECT count(*) FROM auth_tokens") == 2)
        #expect(try await service.number("SELECT count(*) FROM rate_limits") > 0)
        try await service.test.advance(61 * 86400)
        try await Chore.removeExpired(service.test.database).run()
        for table in ["sign_ins", "auth_tokens", "rate_limits", "idempotency_keys"] {
            try await service.test.sql(
                "CREATE OR REPLACE FUNCTION found() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM \(table)'")
            #expect(try await service.number("SELECT found()") == 0)
        }
        #expect(try await service.number("SELECT count(*) FROM users") == 1)
    }
}
