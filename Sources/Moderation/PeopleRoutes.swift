import API
import Accounts
import Groups
import HTTP
import Mail
import Postgres

/// Finding users, and letting them in.
struct PeopleRoutes: Sendable {
    let people: PeopleStore
    let links: OperatorLinks
    let sendsMail: Bool
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/admin/people", access: .siteAdmin, query: ["q"], find),
            // The answer may be a secret.
            gate.user(.post, "/api/v1/admin/links", access: .siteAdmin, idempotent: false, makeLink),
        ]
    }

    private struct Found: Encodable { let items: [FoundPerson] }

    private func find(_ request: Request, _ caller: Caller) async throws -> Response {
        let sought = GroupText.searchTerm(request.query["q"] ?? "")
        return try .json(Found(items: await people.find(sought, for: caller.uid)))
    }

    /// The mail that the person could have asked for, or the link of it where the service sends no mail.
    private func makeLink(_ request: Request, _ caller: Caller) async throws -> Response {
        let address = try request.json("email").string("email")
        do {
            if sendsMail {
                let kind = try await links.mail(to: address, request.language, by: caller.uid)
                return try .json(MadeLink(kind: kind.rawValue))
            }
            return try .json(MadeLink(await links.link(for: address, by: caller.uid))).notStored()
        } catch OperatorLinks.Failure.notAnAddress {
            throw Refusal.accounts.invalidEmail
        } catch OperatorLinks.Failure.mayNotSignIn {
            throw Refusal.moderation.mayNotSignIn
        }
    }
}

/// The mail or link that lets somebody in.
struct MadeLink: Sendable, Encodable {
    /// `registration` or `password_reset`.
    let kind: String
    /// The link to hand over; nil when it goes by mail.
    @OrNull var url: String?
    /// How long the link works.
    @OrNull var expiresInSeconds: Int?
}

extension MadeLink {
    fileprivate init(kind: String) { self.init(kind: kind, url: nil, expiresInSeconds: nil) }

    fileprivate init(_ link: OperatorLinks.Link) {
        switch link {
        case .registration(let url, let seconds):
            self.init(kind: "registration", url: url, expiresInSeconds: seconds)
        case .passwordReset(let url, let seconds):
            self.init(kind: "password_reset", url: url, expiresInSeconds: seconds)
        }
    }
}
