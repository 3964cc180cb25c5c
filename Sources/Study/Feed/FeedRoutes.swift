import API
import Accounts
import Foundation
import HTTP
import Postgres
import Time

/// One's own sessions for a calendar, under a secret address.
struct FeedRoutes: Sendable {
    let feeds: FeedStore
    let gate: Gate
    let baseURL: String

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/calendar-feed", show),
            gate.user(.post, "/api/v1/me/calendar-feed", idempotent: false, make),
            gate.user(.delete, "/api/v1/me/calendar-feed", end),
            // The file is the secret and ".ics".
            gate.anyone(.get, "/calendar/{file}", query: nil, read),
        ]
    }

    private struct Feed: Encodable {
        /// nil if there is no address.
        @OrNull var madeAt: Instant?
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Feed(madeAt: await feeds.madeAt(by: caller.uid)))
    }

    private func make(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        let token = Token()
        try await feeds.make(token, for: caller, from: request.client)
        let url = "\(baseURL)/calendar/\(token.text).ics"
        return try .created(["url": url], at: "/api/v1/me/calendar-feed").notStored()
    }

    private func end(_ request: Request, _ caller: Caller) async throws -> Response {
        guard try await feeds.end(of: caller.uid, from: request.client) else { throw Problem.notFound }
        return .noContent
    }

    private func read(_ request: Request) async throws -> Response {
        let file = request.parameter("file")
        guard file.hasSuffix(".ics"), let token = Token(String(file.dropLast(4))),
            let found = try await feeds.sessions(token)
        else { throw Problem.notFound }
        let host = URLComponents(string: baseURL)?.host ?? "anthill"
        let calendar = CalendarFile(sessions: found.sessions, language: found.language, host: host)
        var response = Response.text(calendar.text, type: "text/calendar; charset=utf-8")
        response.headers.set("Content-Disposition", "attachment; filename=\"anthill.ics\"")
        return response
    }
}
