import HTTP
import Postgres

/// Where the database was after somebody's last write. It travels with the sign-in: in a cookie of the browser, or in a
/// header that other clients send back. So a read that may go to a replica never misses what its caller wrote.
struct LastWrite: Sendable {
    static let header = "Anthill-Position"

    private let database: Database
    private let cookie: TokenCookie

    init(database: Database, site: SiteAddress) {
        self.database = database
        cookie = .lastWrite(site)
    }

    /// Runs `body`, with replicas if it `mayLag`, and notes where the database is after what it wrote.
    func kept(
        _ request: Request, _ caller: Caller, mayLag: Bool, _ body: () async throws -> Response
    ) async throws -> Response {
        guard database.hasReplicas else { return try await body() }
        let known = mayLag ? position(of: request, caller) : nil
        var response = try await Database.reading(from: known, body)
        let isWrite = ![.get, .head, .options].contains(request.method)
        // A caller that sent no position gets the current one.
        if isWrite || mayLag && known == nil { await note(caller, on: &response) }
        return response
    }

    private func position(of request: Request, _ caller: Caller) -> Position? {
        let text = caller.isCookie ? cookie.token(of: request) : request.headers[Self.header]
        let parts = text?.split(separator: ".") ?? []
        guard parts.count == 2, parts[0] == caller.signIn.description else { return nil }
        return Int(parts[1])
    }

    private func note(_ caller: Caller, on response: inout Response) async {
        // If the position is unknown, no replica counts as up to date.
        let position = (try? await database.position()) ?? .max
        let text = "\(caller.signIn).\(position)"
        if caller.isCookie { cookie.set(text, on: &response) } else { response.headers.add(Self.header, text) }
    }
}
