import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts
@testable import Mail

/// Who may come: modes of registration, invitations that come with one, links from the operator.
@Suite(.database) struct NewcomersTests {
    /// A group whose owner registered, and the code of an invitation to it.
    private func group(_ service: AccountsService, uses: Int? = nil) async throws -> (id: ID, code: String) {
        let owner = try await service.register("owner@example.org", nickname: "Owner")
        let id: ID = try #require(
            try await service.test.database.write("SELECT create_group(\(owner.uid), 'Room')").first
        ).decode(ID.self)
        _ = try await service.test.database.write("SELECT create_invitation(\(owner.uid), \(id), 'a code', \(uses), 7)")
        return (id, "a code")
    }

    private func serviceCode(_ service: AccountsService, uses: Int? = nil) async throws -> String {
        _ = try await service.test.database.write("SELECT create_service_invitation('the code', \(uses))")
        return "the code"
    }

    /// The same accounts in another mode of registration.
    private func service(_ mode: RegistrationMode, sendsMail: Bool = true) throws -> AccountsService {
        try AccountsService(registration: mode, sendsMail: sendsMail)
    }

    @Test(arguments: RegistrationMode.allCases, [true, false])
    func `everybody may know who may register`(mode: RegistrationMode, sendsMail: Bool) async throws {
        let answer = try await service(mode, sendsMail: sendsMail).client.get("/api/v1/registration")
        #expect(
            answer.json == [
                "mode": .string(mode.rawValue), "sends_mail": .bool(sendsMail), "url": "http://localhost:8080/register",
            ])
    }

    @Test func `a group's invitation travels with the registration and makes a member at once`() async throws {
        let service = try service(.open)
        let (group, code) = try await group(service, uses: 1)
        let token = try await service.registrationToken("ant@example.org", invitation: code)
        #expect(try await service.number("SELECT uses_left FROM invitations") == 1, "asking takes no use")
        let answer = await service.client.post("/api/v1/users", json: service.user(token))
        #expect(answer.status == .created)
        #expect(answer.json["group"] == ["id": .string(group.description), "joined": true])
        let uid = try #require(answer.json["user"]["uid"].string.flatMap(ID.init))
        #expect(try await service.number("SELECT count(*) FROM group_members WHERE uid = \(uid)") == 1)
        #expect(try await service.number("SELECT uses_left FROM invitations") == 0)
        #expect(
            try await service.number("SELECT count(*) FROM audit_events WHERE kind = 'member_joined' AND uid = \(uid)")
                == 1)
    }

    @Test(arguments: [
        "UPDATE invitations SET revoked_at = anthill_clock()", "UPDATE invitations SET uses_left = 0",
        "UPDATE invitations SET expires_at = anthill_clock()", "DELETE FROM invitations",
    ])
    func `where all may come, an ended invitation costs the group and not the account`(end: String) async throws {
        let service = try service(.open)
        let code = try await group(service).code
        let token = try await service.registrationToken("ant@example.org", invitation: code)
        try await service.test.sql(end)
        let answer = await service.client.post("/api/v1/users", json: service.user(token))
        #expect(answer.status == .created)
        #expect(answer.json["group"] == ["id": .null, "joined": false])
        #expect(try await service.number("SELECT count(*) FROM group_members") == 1)
        #expect(try await service.number("SELECT count(*) FROM users") == 2)
    }

    @Test func `an account without an invitation to a group is told of none`() async throws {
        let service = try service(.open)
        let plain = await service.client.post(
            "/api/v1/users", json: service.user(try await service.registrationToken("ant@example.org")))
        #expect(plain.json.names == ["user", "sign_in"])
        let code = try await serviceCode(service)
        let token = try await service.registrationToken("bee@example.org", invitation: code)
        let invited = await service.client.post("/api/v1/users", json: service.user(token))
        #expect(invited.status == .created)
        #expect(invited.json.names == ["user", "sign_in"])
    }

    @Test func `by invitation only, a registration needs one that works`() async throws {
        let open = try service(.open)
        let code = try await group(open).code
        let service = try service(.invitation)
        for body: JSON in [["email": "ant@example.org"], ["email": "ant@example.org", "invitation": "another"]] {
            let refused = await service.client.post("/api/v1/registrations", json: body)
            #expect(refused.status == .forbidden)
            #expect(refused.code == "invitation_required")
        }
        #expect(try await service.number("SELECT count(*) FROM mail_outbox WHERE sent_at IS NULL") == 0)
        let token = try await service.registrationToken("ant@example.org", invitation: code)
        #expect(await service.client.post("/api/v1/users", json: service.user(token)).status == .created)
        try await service.test.sql("UPDATE invitations SET revoked_at = anthill_clock()")
        let late = await service.client.post(
            "/api/v1/registrations", json: ["email": "bee@example.org", "invitation": .string(code)])
        #expect(late.code == "invitation_required")
    }

    @Test func `by invitation only, an invitation for one lets one in, however many ask`() async throws {
        let service = try service(.invitation)
        let code = try await serviceCode(service, uses: 1)
        var tokens: [String] = []
        for index in 0..<8 {
            tokens.append(try await service.registrationToken("ant\(index)@example.org", invitation: code))
        }
        let answers = await withTaskGroup(of: Answer.self) { group in
            for token in tokens {
                group.addTask { await service.client.post("/api/v1/users", json: service.user(token)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == .created }.count == 1)
        #expect(answers.filter { $0.code == "invitation_required" }.count == 7)
        #expect(try await service.number("SELECT count(*) FROM users") == 1)
    }

    @Test func `when registration is closed nobody comes, not even with an older token`() async throws {
        let open = try service(.open)
        let token = try await open.registrationToken("ant@example.org")
        let invited = try await open.registrationToken("wasp@example.org", invitation: serviceCode(open))
        let service = try service(.closed)
        let asked = await service.client.post("/api/v1/registrations", json: ["email": "bee@example.org"])
        #expect(asked.status == .forbidden)
        #expect(asked.code == "registration_closed")
        for late in [token, invited] {
            let answer = await service.client.post("/api/v1/users", json: service.user(late))
            #expect(answer.code == "registration_closed")
        }
        #expect(try await service.number("SELECT count(*) FROM users") == 0)
    }

    @Test func `a service without mail sends people to the operator`() async throws {
        let service = try service(.open, sendsMail: false)
        for path in ["registrations", "password-resets"] {
            let answer = await service.client.post("/api/v1/\(path)", json: ["email": "ant@example.org"])
            #expect(answer.status == .forbidden)
            #expect(answer.code == "no_mail")
        }
        #expect(try await service.number("SELECT count(*) FROM mail_outbox") == 0)
    }

    @Test(arguments: RegistrationMode.allCases)
    func `the operator's link opens an account in every mode`(mode: RegistrationMode) async throws {
        let service = try service(mode, sendsMail: false)
        let links = OperatorLinks(
            database: service.test.database, secret: service.secret, baseURL: AccountsService.baseURL)
        guard case .registration(let url, 24 * 3600) = try await links.link(for: "ant@example.org") else {
            Issue.record("an unknown address registers")
            return
        }
        let token = try #require(url.split(separator: "http://localhost:8080/welcome#token=").first).description
        #expect(await service.client.post("/api/v1/users", json: service.user(token)).status == .created)

        guard case .passwordReset(let url, 30 * 60) = try await links.link(for: "ANT@example.org") else {
            Issue.record("a known address gets a new password")
            return
        }
        let reset = try #require(url.split(separator: "http://localhost:8080/new-password#token=").first).description
        let password = "quite another one 12"
        let changed = await service.client.put(
            "/api/v1/password-resets", json: ["token": .string(reset), "password": .string(password)])
        #expect(changed.status == .noContent)
        #expect(try await service.signIn("ant@example.org", password).status == .created)
        #expect(try await service.number("SELECT count(*) FROM audit_events WHERE kind = 'link_made'") == 2)
        #expect(
            try await service.number("SELECT count(*) FROM audit_events WHERE kind = 'link_made' AND uid IS NOT NULL")
                == 1)
    }

    @Test func `no link is made for what is no address or may not sign in`() async throws {
        let service = try service(.open)
        let links = OperatorLinks(
            database: service.test.database, secret: service.secret, baseURL: AccountsService.baseURL)
        await #expect(throws: OperatorLinks.Failure.notAnAddress) { try await links.link(for: "ant") }
        try await service.register("ant@example.org")
        try await service.test.sql("UPDATE users SET status = 'suspended'")
        await #expect(throws: OperatorLinks.Failure.mayNotSignIn) { try await links.link(for: "ant@example.org") }
        #expect(try await service.number("SELECT count(*) FROM auth_tokens WHERE used_at IS NULL") == 0)
    }
}
