import API
import HTTP
import Postgres
import Time

/// How the client wants its token: in the body, or in a cookie that no script can read.
enum Delivery: String, Sendable {
    case bearer, cookie

    /// Bearer unless the body says otherwise. A cookie is set for our own pages only, so that no other site can sign
    /// somebody in to an account of its own.
    init(_ fields: Fields, _ request: Request, _ gate: Gate) throws {
        guard let delivery = Delivery(rawValue: try fields.optionalString("delivery") ?? "bearer") else {
            throw Refusal.accounts.unknownDelivery
        }
        self = delivery
        if self == .cookie, gate.site.isForeign(request) { throw Refusal.accounts.crossOrigin }
    }
}

/// The answer to a new sign-in: `{user, sign_in: {id, token?, expires_at}, group?}`, and `would_have_left_at` where it kept
/// an account from being deleted.
struct SignInAnswer: Encodable, Sendable {
    struct Made: Encodable, Sendable {
        let id: ID
        let token: String?
        let expiresAt: Instant
    }

    let user: Profile
    let signIn: Made
    /// Where a new account was invited to a group.
    let group: Newcomers.InvitedGroup?
    let wouldHaveLeftAt: Instant?

    static func response(
        _ user: Profile, _ new: NewSignIn, _ begun: SignInStore.Begun, _ delivery: Delivery, _ gate: Gate,
        at location: String, group: Newcomers.InvitedGroup? = nil
    ) throws -> Response {
        let made = Made(id: new.id, token: delivery == .bearer ? new.token.text : nil, expiresAt: begun.expiresAt)
        let answer = SignInAnswer(
            user: user, signIn: made, group: group, wouldHaveLeftAt: begun.wouldHaveLeftAt)
        var response = try Response.created(answer, at: location).notStored()
        if delivery == .cookie { gate.cookie.set(new.token, on: &response) }
        return response
    }
}
