import API
import HTTP
import Postgres

/// Which mail somebody gets.
struct MailRoutes: Sendable {
    let gate: Gate
    let database: Database
    let optOuts: OptOuts

    var routes: [Endpoint] {
        [
            // RFC 8058: the mail program sends this to the address of the page, whatever it knows of us.
            gate.anyone(.post, "/unsubscribe/{kind}/{token}", turnOff)
        ]
    }

    private func turnOff(_ request: Request) async throws -> Response {
        guard let kind = MailSwitch(rawValue: request.parameter("kind")),
            let uid = optOuts.owner(kind, request.parameter("token"))
        else { throw Problem.notFound }
        let query: Query =
            switch kind {
            case .unattended: "UPDATE users SET unattended_mail = false WHERE uid = \(uid)"
            case .digest: "UPDATE users SET digest_mail = false WHERE uid = \(uid)"
            }
        _ = try await database.write(query)
        return .noContent
    }
}
