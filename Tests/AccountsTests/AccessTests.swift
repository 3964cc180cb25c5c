import API
import HTTP
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct AccessTests {
    /// Who may call what: everything that is not here is a mistake.
    private let table: [String: Access] = [
        "GET /api/v1/registration": .anyone,
        "POST /api/v1/registrations": .anyone,
        "POST /api/v1/registrations/checks": .anyone,
        "POST /api/v1/users": .anyone,
        "POST /api/v1/sign-ins": .anyone,
        "GET /api/v1/sign-ins": .user,
        "DELETE /api/v1/sign-ins": .user,
        "DELETE /api/v1/sign-ins/current": .user,
        "DELETE /api/v1/sign-ins/{id}": .user,
        "POST /api/v1/password-resets": .anyone,
        "PUT /api/v1/password-resets": .anyone,
        "POST /api/v1/password-resets/checks": .anyone,
        "PUT /api/v1/me/password": .user,
        "POST /api/v1/me/email-changes": .user,
        "DELETE /api/v1/me/email-changes": .user,
        "POST /api/v1/email-changes": .anyone,
        "POST /api/v1/email-changes/cancellations": .anyone,
        "POST /api/v1/email-reminders": .anyone,
        "GET /api/v1/me/api-keys": .user,
        "POST /api/v1/me/api-keys": .user,
        "DELETE /api/v1/me/api-keys/{id}": .user,
        "GET /api/v1/me/activity": .user,
        "GET /api/v1/me": .user,
        "PATCH /api/v1/me": .user,
        "POST /api/v1/me/mail-tests": .user,
        "POST /unsubscribe/{kind}/{token}": .anyone,
        "PUT /api/v1/me/avatar": .user,
        "DELETE /api/v1/me/avatar": .user,
        "GET /api/v1/users/{uid}/avatar": .user,
        "GET /api/v1/providers": .anyone,
        "GET /api/v1/oidc/{provider}": .anyone,
        "GET /api/v1/oidc/{provider}/callback": .anyone,
        "GET /api/v1/provider-ticket": .anyone,
        "GET /api/v1/me/identities": .user,
        "POST /api/v1/me/identities": .user,
        "DELETE /api/v1/me/identities/{id}": .user,
        "POST /api/v1/me/confirmations": .user,
        "DELETE /api/v1/me": .user,
        "POST /api/v1/me/return": .user,
    ]

    @Test func `every route is open to whom the table says`() throws {
        let routes = try AccountsService().routes.map { ("\($0.route.method.rawValue) \($0.route.pattern)", $0.access) }
        #expect(Dictionary(uniqueKeysWithValues: routes) == table)
    }

    @Test func `nobody gets past the gate of a route for users`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        _ = await service.client.delete("/api/v1/sign-ins/current", bearer: bearer)
        for endpoint in service.routes where endpoint.access == .user {
            let route = endpoint.route
            let target = route.pattern.replacing(#/\{\w+\}/#, with: "00000000-0000-0000-0000-000000000000")
            for token in [nil, bearer, Token().text] {
                let answer = await service.client.send(route.method, target, bearer: token)
                #expect(answer.status == .unauthorized, "\(route.method.rawValue) \(route.pattern)")
                #expect(answer.code == "not_signed_in")
            }
        }
    }
}
