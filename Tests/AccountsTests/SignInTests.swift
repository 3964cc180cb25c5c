import API
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct SignInTests {
    @Test func `a bearer signs in with a token in the body`() async throws {
        let service = try AccountsService()
        try await service.register()
        let answer = await service.client.post(
            "/api/v1/sign-ins",
            json: ["email": "ant@example.org", "password": .string(AccountsService.password), "device": "Pixel"])
        #expect(answer.status == .created)
        #expect(answer.headers["Set-Cookie"] == nil)
        #expect(answer.headers["Cache-Control"] == "no-store")
        let id = try #require(answer.json["sign_in"]["id"].string)
        #expect(answer.headers["Location"] == "/api/v1/sign-ins/\(id)")
        let bearer = try #require(answer.json["sign_in"]["token"].string)
        let devices = await service.client.get("/api/v1/sign-ins", bearer: bearer)
        let mine = try #require(devices.json["items"].array?.first { $0["current"] == true })
        #expect(mine["id"].string == id)
        #expect(mine["device"] == "Pixel")
        #expect(devices.json["items"].array?.count == 2)
        #expect(devices.json["next"].isNull)
    }

    @Test func `a browser's token is only in the cookie`() async throws {
        let service = try AccountsService()
        try await service.register()
        let answer = await service.client.post(
            "/api/v1/sign-ins",
            json: ["email": "ant@example.org", "password": .string(AccountsService.password), "delivery": "cookie"],
            headers: ["Sec-Fetch-Site": "same-origin"])
        #expect(answer.status == .created)
        #expect(!answer.json["sign_in"].names.contains("token"))
        let cookie = try #require(answer.headers["Set-Cookie"])
        #expect(cookie.hasPrefix("anthill="))
        let jar = ["Cookie": String(cookie.prefix { $0 != ";" })]

        let headers = { (more: [String: String]) in
            var headers = Headers()
            for (name, value) in jar.merging(more, uniquingKeysWith: { $1 }) { headers.add(name, value) }
            return headers
        }
        #expect(await service.client.get("/api/v1/me", headers: headers([:])).status == .ok)
        #expect(
            await service.client.get("/api/v1/me", headers: headers(["Sec-Fetch-Site": "cross-site"])).status == .ok)
        for foreign in [[:], ["Sec-Fetch-Site": "cross-site"], ["Origin": "http://evil.example"]] {
            let refused = await service.client.patch(
                "/api/v1/me", json: ["nickname": "x"], headers: headers(foreign))
            #expect(refused.status == .forbidden)
            #expect(refused.code == "cross_origin")
        }
        #expect(
            await service.client.patch(
                "/api/v1/me", json: ["nickname": "x"], headers: headers(["Origin": "http://localhost:8080"])
            ).status == .ok)

        let out = await service.client.delete(
            "/api/v1/sign-ins/current", headers: headers(["Sec-Fetch-Site": "same-origin"]))
        #expect(out.status == .noContent)
        #expect(out.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(await service.client.get("/api/v1/me", headers: headers([:])).code == "not_signed_in")
    }

    @Test func `another site cannot sign somebody in by cookie`() async throws {
        let service = try AccountsService()
        try await service.register()
        let answer = await service.client.post(
            "/api/v1/sign-ins",
            json: ["email": "ant@example.org", "password": .string(AccountsService.password), "delivery": "cookie"],
            headers: ["Origin": "http://evil.example"])
        #expect(answer.code == "cross_origin")
    }

    @Test func `behind TLS only the host's own cookie counts`() async throws {
        let service = try AccountsService(baseURL: "https://anthill.example")
        let (_, bearer) = try await service.register()
        #expect(
            await service.client.get("/api/v1/me", headers: ["Cookie": "anthill=\(bearer)"]).status == .unauthorized)
        #expect(
            await service.client.get("/api/v1/me", headers: ["Cookie": "a=b; __Host-anthill=\(bearer)"]).status == .ok)
    }

    @Test func `a wrong password and an unknown address get the same answer for the same work`() async throws {
        let service = try AccountsService()
        try await service.register()
        var bodies: [JSON] = []
        for (email, password) in [
            ("ant@example.org", "wrong"), ("nobody@example.org", "wrong"), ("no address", "wrong"),
        ] {
            let before = service.hasher.count
            let answer = try await service.signIn(email, password)
            #expect(answer.status == .unauthorized)
            #expect(answer.code == "wrong_credentials")
            #expect(service.hasher.count == before + 1)
            bodies.append(answer.json)
        }
        #expect(Set(bodies).count == 1)
    }

    @Test func `somebody who is not signed in is told so`() async throws {
        let service = try AccountsService()
        for headers: Headers in [
            [:], ["Authorization": "Bearer"], ["Authorization": "Bearer nonsense"],
            ["Authorization": "Bearer \(Token().text)"], ["Authorization": "Basic YTpi"], ["Cookie": "anthill=x"],
        ] {
            let answer = await service.client.get("/api/v1/me", headers: headers)
            #expect(answer.status == .unauthorized)
            #expect(answer.code == "not_signed_in")
            #expect(answer.headers["WWW-Authenticate"] == "Bearer")
        }
    }

    @Test func `a device is signed out by another, and a stranger's is not there`() async throws {
        let service = try AccountsService()
        let (_, phone) = try await service.register()
        let laptop = try await service.bearer()
        let (_, stranger) = try await service.register("bee@example.org")
        let devices = await service.client.get("/api/v1/sign-ins", bearer: laptop)
        let id = try #require(devices.json["items"].array?.first { $0["current"] == false }?["id"].string)

        #expect(await service.client.delete("/api/v1/sign-ins/\(id)", bearer: stranger).code == "not_found")
        #expect(await service.client.delete("/api/v1/sign-ins/nonsense", bearer: laptop).code == "not_found")
        #expect(await service.client.delete("/api/v1/sign-ins/\(id)", bearer: laptop).status == .noContent)
        #expect(await service.client.delete("/api/v1/sign-ins/\(id)", bearer: laptop).status == .notFound)
        #expect(await !service.isSignedIn(phone))
        #expect(await service.isSignedIn(laptop))
    }

    @Test func `a sign-in ends after 30 idle days and after 365 in any case`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-01-01T00:00:00Z")
        let (_, bearer) = try await service.register()
        try await service.test.advance(30 * 86400 - 1)
        #expect(await service.isSignedIn(bearer))
        try await service.test.advance(30 * 86400)
        #expect(await !service.isSignedIn(bearer))

        let another = try await service.bearer()
        for _ in 0..<14 {
            try await service.test.advance(26 * 86400)
            #expect(await service.isSignedIn(another))
        }
        try await service.test.advance(86400)
        #expect(await !service.isSignedIn(another))
    }

    @Test func `being seen is written at most every ten minutes`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (_, bearer) = try await service.register()
        let seen: Query = "SELECT extract(epoch FROM last_seen_at - created_at)::integer FROM sign_ins"
        try await service.test.advance(599)
        #expect(await service.isSignedIn(bearer))
        #expect(try await service.number(seen) == 0)
        try await service.test.advance(1)
        #expect(await service.isSignedIn(bearer))
        #expect(try await service.number(seen) == 600)
    }

    @Test func `the 21st sign-in ends the first, and the activity tells it`() async throws {
        let service = try AccountsService()
        let (_, first) = try await service.register()
        try await service.test.sql("UPDATE sign_ins SET device = 'Chrome on Mac'")
        let second = try await service.bearer()
        for _ in 0..<18 { _ = try await service.bearer() }
        #expect(await service.isSignedIn(first))
        _ = try await service.bearer()
        #expect(await !service.isSignedIn(first))
        #expect(await service.isSignedIn(second))
        #expect(try await service.number("SELECT count(*) FROM sign_ins") == 20)
        let activity = await service.client.get("/api/v1/me/activity?limit=2", bearer: second).json["items"]
        #expect(activity[0]["kind"] == "signed_in")
        #expect(activity[1]["kind"] == "oldest_sign_in_ended")
        #expect(activity[1]["details"] == ["device": "Chrome on Mac"])
        #expect(activity[1]["by_me"] == false && activity[1]["about_me"] == true)
    }

    @Test func `a sign-in that had run out is not told as ended`() async throws {
        let service = try AccountsService()
        _ = try await service.register()
        try await service.test.sql("UPDATE sign_ins SET expires_at = anthill_clock()")
        for _ in 0..<20 { _ = try await service.bearer() }
        #expect(try await service.number("SELECT count(*) FROM sign_ins") == 20)
        let told: Query = "SELECT count(*) FROM audit_events WHERE kind = 'oldest_sign_in_ended'"
        #expect(try await service.number(told) == 0)
    }

    @Test func `raising the epoch or suspending somebody ends every sign-in`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        try await service.test.sql("UPDATE users SET auth_epoch = auth_epoch + 1")
        #expect(await !service.isSignedIn(bearer))
        let another = try await service.bearer()
        try await service.test.sql("UPDATE users SET status = 'suspended'")
        #expect(await !service.isSignedIn(another))
        #expect(try await service.signIn().code == "wrong_credentials")
    }

    @Test func `a password is hashed anew when the cost has grown`() async throws {
        try await AccountsService().register()
        let hash: Query = "SELECT count(*) FROM users WHERE password_hash LIKE '%m=16,t=2,%'"
        let costlier = try AccountsService(cost: .init(passes: 2, memory: 16 << 10))
        #expect(try await costlier.number(hash) == 0)
        #expect(try await costlier.signIn().status == .created)
        #expect(try await costlier.number(hash) == 1)
        #expect(try await costlier.signIn().status == .created)
    }

    @Test func `a sign-in counts as none if the password was changed while it was checked`() async throws {
        let service = try AccountsService()
        let (uid, _) = try await service.register()
        let store = SignInStore(database: service.test.database, secret: service.secret)
        await #expect(throws: Refusal.accounts.wrongCredentials) {
            try await store.begin(NewSignIn(device: nil), of: uid, by: .password(hash: "an older hash"))
        }
        #expect(try await service.number("SELECT count(*) FROM sign_ins") == 1)
    }
}
