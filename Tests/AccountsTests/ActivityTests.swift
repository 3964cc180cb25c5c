import API
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct ActivityTests {
    private func kinds(_ service: AccountsService, _ bearer: String, _ query: String = "") async -> [String] {
        let answer = await service.client.get("/api/v1/me/activity\(query)", bearer: bearer)
        return answer.json["items"].array?.compactMap { $0["kind"].string } ?? []
    }

    @Test func `one sees what happened to one's own account, the latest first, and nothing of others`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let (_, stranger) = try await service.register("bee@example.org")
        _ = try await service.signIn("ant@example.org", "wrong", from: "2001:db8::7")
        _ = try await service.bearer()
        #expect(await kinds(service, bearer) == ["signed_in", "wrong_password", "registered"])
        #expect(await kinds(service, stranger) == ["registered"])

        let wrong = await service.client.get("/api/v1/me/activity", bearer: bearer).json["items"][1]
        #expect(wrong["by_me"] == false)
        #expect(wrong["about_me"] == true)
        #expect(wrong["client_address"] == "2001:db8::/64")
        #expect(wrong["group"].isNull)
    }

    @Test func `it comes in pages, also where the instant is the same`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        for kind in ["a", "b", "c", "d"] {
            try await service.test.sql(
                "INSERT INTO audit_events (kind, uid, actor) VALUES ('\(kind)', '\(uid)', gen_random_uuid())")
            try await service.test.sql(
                "INSERT INTO audit_events (kind, uid, actor) VALUES ('\(kind)', gen_random_uuid(), '\(uid)')")
        }
        var (all, after) = ([String](), "")
        for _ in 0..<5 {
            let page = await service.client.get("/api/v1/me/activity?limit=2\(after)", bearer: bearer)
            all += page.json["items"].array?.compactMap { $0["kind"].string } ?? []
            guard let next = page.json["next"].string else { break }
            after = "&after=\(next)"
        }
        #expect(all == ["d", "d", "c", "c", "b", "b", "a", "a", "registered"])
        #expect(await service.client.get("/api/v1/me/activity?after=x", bearer: bearer).code == "invalid_cursor")
    }

    @Test func `it tells neither who else took part nor from where`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        let (other, _) = try await service.register("bee@example.org", nickname: "Bee")
        try await service.test.sql(
            """
            INSERT INTO audit_events (kind, uid, actor, client, details) VALUES ('member_removed', '\(uid)', '\(other)',
              '192.0.2.9', '{"group_id": "00000000-0000-4000-8000-000000000000", "by": "admin"}')
            """)
        let answer = await service.client.get("/api/v1/me/activity?limit=1", bearer: bearer)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.json["items"][0]["kind"] == "member_removed")
        for secret in ["Bee", "\(other)", "192.0.2.9", "admin"] { #expect(!text.contains(secret), "\(secret)") }
    }
}
