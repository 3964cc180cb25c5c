import API
import HTTP
import Mail
import Postgres

/// Which mail somebody gets, and whether it arrives.
struct MailRoutes: Sendable {
    let gate: Gate
    let database: Database
    let users: UserStore
    let optOuts: OptOuts
    let sendsMail: Bool

    var routes: [Endpoint] {
        [
            gate.user(.post, "/api/v1/me/mail-tests", test),
            // RFC 8058: the mail program sends this to the address of the page, whatever it knows of us.
            gate.anyone(.post, "/unsubscribe/{kind}/{token}", turnOff),
        ]
    }

    /// Sends a mail to one's own address. If it is taken, the address counts as good again.
    private func test(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        guard sendsMail else { throw Refusal.accounts.noMail }
        guard let user = try await users.find(caller.uid) else { throw Refusal.accounts.notSignedIn }
        _ = try await database.write(
            Outbox.enqueue(.mailTest, to: user.email.written, ["locale": user.locale.rawValue]))
        return .accepted
    }

    private func turnOff(_ request: Request) async throws -> Response {
        guard let kind = Switch(rawValue: request.parameter("kind")),
            let uid = optOuts.owner(kind, request.parameter("token"))
        else { throw Problem.notFound }
        _ = try await database.write(kind.turned(false, of: uid))
        return .noContent
    }
}
