import API
import Accounts
import Foundation
import Testing

@testable import AnthillServer

@Suite struct ConfigTests {
    let least = [
        "DATABASE_URL": "postgresql:///anthill", "ANTHILL_SECRET": "0123456789abcdef0123456789abcdef",
    ]

    @Test func `two variables are enough and the rest has defaults`() throws {
        let config = try Config(environment: least)
        #expect(config.listen == .init(host: "127.0.0.1", port: 8080))
        #expect(config.metricsListen == nil)
        #expect(config.baseURL.absoluteString == "http://localhost:8080")
        guard case .folder(let folder) = config.mail else {
            Issue.record("mail goes to files")
            return
        }
        #expect(folder.path().hasSuffix(".anthill/mail/"))
    }

    @Test(arguments: [
        ("DATABASE_URL", ""), ("DATABASE_URL", "mysql://x"), ("ANTHILL_REPLICA_URL", "db2"), ("ANTHILL_SECRET", ""),
        ("ANTHILL_SECRET", "hunter2"),
        ("ANTHILL_LISTEN", "8080"), ("ANTHILL_LISTEN", "127.0.0.1:99999"), ("ANTHILL_LISTEN", "host:80"),
        ("ANTHILL_BASE_URL", "example.org"), ("ANTHILL_BASE_URL", "https://example.org/anthill"),
        ("ANTHILL_SMTP_URL", "http://mail"), ("ANTHILL_SMTP_URL", "smtp://"),
        ("ANTHILL_MAIL_FROM", "nobody"), ("ANTHILL_MAIL_FROM", "a@b\r\nBcc: c@d"), ("ANTHILL_LISTN", "x"),
        ("ANTHILL_REGISTRATION", "shut"), ("ANTHILL_API_LIMIT", "-1"), ("ANTHILL_TRUSTED_PROXIES", "proxy"),
        ("ANTHILL_METRICS_LISTEN", "9464"), ("DATABASE_URL", "postgresql://x@/y?bad=1"),
        ("DATABASE_URL", "postgresql://x:hunter2%zz@/y"), ("DATABASE_URL", "postgresql:///y?host=a,b&port=1,2,3"),
        ("ANTHILL_REPLICA_URL", "postgresql://x@/y?bad=1"), ("ANTHILL_BASE_URL", "https://example.org:99999"),
        ("ANTHILL_BASE_URL", "https://example.org:0"), ("ANTHILL_BASE_URL", "https://x:y@example.org"),
        ("ANTHILL_SMTP_URL", "smtp://mail.example.org:70000"),
        ("ANTHILL_SMTP_URL", "smtp://mail.example.org?ca=/nowhere"),
    ])
    func `a wrong variable is refused by its name`(name: String, value: String) {
        var environment = least
        environment[name] = value
        let refusal = #expect(throws: Config.Refusal.self) { try Config(environment: environment) }
        #expect(refusal?.variable == name)
        #expect(refusal?.description.contains("hunter2") != true, "a refusal never repeats a secret")
    }

    @Test(arguments: [(DatabaseAddress.Login.owner, "DATABASE_OWNER_URL"), (.admin, "DATABASE_ADMIN_URL")])
    func `who is not the service has an address in a variable of its own, or shares that of the service`(
        login: DatabaseAddress.Login, variable: String
    ) throws {
        var environment = least
        #expect(try DatabaseAddress(environment, for: login).url == "postgresql:///anthill")
        environment[variable] = "postgresql://maria@/anthill"
        let address = try DatabaseAddress(environment, for: login)
        #expect(address.url == "postgresql://maria@/anthill" && address.variable == variable)
        environment[variable] = "mysql://x"
        let refusal = #expect(throws: Config.Refusal.self) { try DatabaseAddress(environment, for: login) }
        #expect(refusal?.variable == variable)
    }

    @Test(arguments: [
        ("postgresql://anthill_service@/anthill?host=/run", "anthill_service"), ("postgres://a%40b:p@h:5/x", "a@b"),
        ("postgresql:///anthill", nil), ("postgresql://host/anthill?options=a@b", nil),
    ])
    func `an address tells which role signs in there`(url: String, role: String?) throws {
        #expect(try DatabaseAddress(["DATABASE_URL": url]).role == role)
    }

    @Test func `a service can do without mail and without newcomers`() throws {
        #expect(try Config(environment: least).sendsMail)
        #expect(try Config(environment: least).registration == .open)
        var environment = least
        environment["ANTHILL_SMTP_URL"] = "none"
        environment["ANTHILL_REGISTRATION"] = "closed"
        #expect(try !Config(environment: environment).sendsMail)
        #expect(try Config(environment: environment).registration == .closed)
    }

    @Test func `mail over SMTP needs a sender`() {
        var environment = least
        environment["ANTHILL_SMTP_URL"] = "smtp://mail.example.org:587"
        let refusal = #expect(throws: Config.Refusal.self) { try Config(environment: environment) }
        #expect(refusal?.variable == "ANTHILL_MAIL_FROM")
    }

    @Test(arguments: [("[::1]:80", "::1", UInt16(80)), ("0.0.0.0:0", "0.0.0.0", 0), ("localhost:9", "127.0.0.1", 9)])
    func `addresses to listen on`(text: String, host: String, port: UInt16) throws {
        #expect(try Config.Listen(text) == .init(host: host, port: port))
    }
}
