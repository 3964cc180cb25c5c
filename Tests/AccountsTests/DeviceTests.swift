import API
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct DeviceTests {
    @Test(
        arguments: [
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
                "Chrome · Android"
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; SM-S928N) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36",
                "Samsung Internet · Android"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0",
                "Edge · Windows"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Whale/3.28.266.14 Safari/537.36",
                "Whale · Windows"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
                "Safari · iPhone"
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0.6723.90 Mobile/15E148 Safari/604.1",
                "Chrome · iPad"
            ),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0", "Firefox · Mac"),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0", "Firefox · Linux"),
            ("Mozilla/5.0 (X11; Linux x86_64)", "Linux"),
            ("Firefox/132.0", "Firefox"),
            ("curl/8.5.0", "curl"),
            ("AnthillPhone", "AnthillPhone"),
            ("Mozilla/5.0", nil), ("", nil), (" /", nil), ("\u{202E}evil/1", nil),
        ] as [(String, String?)])
    func `a browser is called by its name and its system`(userAgent: String, name: String?) {
        #expect(DeviceName.plain(userAgent) == name)
    }

    @Test func `a device is named by its browser, unless the client names it`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        let browser = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"
        for device in [nil, "Mina's phone"] {
            var json: [String: JSON] = ["email": "ant@example.org", "password": .string(AccountsService.password)]
            json["device"] = device.map { .string($0) }
            let answer = await service.client.post(
                "/api/v1/sign-ins", json: .object(json), headers: ["User-Agent": browser])
            #expect(answer.status == .created)
        }
        let devices = await service.client.get("/api/v1/sign-ins", bearer: bearer).json["items"].array ?? []
        #expect(
            devices.map(\.["device"]).map { $0.string ?? "-" }.sorted() == [
                "-", "Chrome · Android", "Mina's phone",
            ])
    }

    @Test func `a device was last seen where it asked from, of IPv6 the network alone`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        let (_, bearer) = try await service.register()
        func place() async -> JSON {
            await service.client.get("/api/v1/sign-ins", bearer: bearer).json["items"][0]["client_address"]
        }
        #expect(await place() == "127.0.0.1")
        let elsewhere = try #require(ClientAddress("2001:db8:1:2:3:4:5:6"))
        _ = await service.client.send(.get, "/api/v1/me", bearer: bearer, client: elsewhere)
        #expect(await place() == "127.0.0.1")
        // It is written down together with the time.
        try await service.test.advance(600)
        _ = await service.client.send(.get, "/api/v1/me", bearer: bearer, client: elsewhere)
        #expect(await place() == "2001:db8:1:2::/64")
    }

    @Test func `all other devices are signed out at once, and nobody else's`() async throws {
        let service = try AccountsService()
        let (uid, phone) = try await service.register()
        let laptop = try await service.bearer()
        let (_, stranger) = try await service.register("bee@example.org")
        #expect(await service.client.delete("/api/v1/sign-ins", bearer: laptop).status == .noContent)
        #expect(await !service.isSignedIn(phone))
        #expect(await service.isSignedIn(laptop))
        #expect(await service.isSignedIn(stranger))
        // Again it does nothing, and nothing is written down.
        #expect(await service.client.delete("/api/v1/sign-ins", bearer: laptop).status == .noContent)
        #expect(
            try await service.number(
                "SELECT count(*) FROM audit_events WHERE kind = 'other_sign_ins_ended' AND uid = \(uid)") == 1)
    }
}
