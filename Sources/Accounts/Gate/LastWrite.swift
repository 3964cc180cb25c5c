import HTTP
import Postgres
import Synchronization

/// Where the database was after somebody's last write. It travels with the sign-in: in a cookie of the browser, or in a
/// header that other clients send back. So a read that may go to a replica never misses what its caller wrote.
final class LastWrite: Sendable {
    private static let header = "Anthill-Position"

    /// A position as it travels: with the sign-in to which it belongs.
    private struct Mark: LosslessStringConvertible {
        let signIn: ID
        let position: Position

        init(_ signIn: ID, _ position: Position) {
            self.signIn = signIn
            self.position = position
        }

        init?(_ description: String) {
            let parts = description.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let signIn = ID(String(parts[0])), let timeline = Int(parts[1]),
                let place = Int(parts[2]), timeline > 0
            else { return nil }
            self.init(signIn, Position(timeline: timeline, place: place))
        }

        var description: String { "\(signIn).\(position.timeline).\(position.place)" }
    }

    private let database: Database
    private let cookie: TokenCookie
    private let latest = Mutex(Latest())

    init(database: Database, site: SiteAddress) {
        self.database = database
        cookie = .lastWrite(site)
    }

    /// Runs `body`, with replicas if it `mayLag`, and notes where the database is after what it wrote, or how far the
    /// replica was that answered.
    func kept(
        _ request: Request, _ caller: Caller, mayLag: @autoclosure () -> Bool, _ body: () async throws -> Response
    ) async throws -> Response {
        guard database.hasReplicas else { return try await body() }
        let mayLag = mayLag()
        let known = mayLag ? position(of: request, caller) : nil
        let (response, seen) = try await Database.reading(from: known) {
            (try await body(), Database.reading?.position)
        }
        if isWrite(request) || mayLag && known == nil {
            return await note(caller.signIn, isCookie: caller.isCookie, on: response)
        }
        guard let seen, seen != known else { return response }
        return mark(Mark(caller.signIn, seen), isCookie: caller.isCookie, on: response)
    }

    /// The same for somebody who need not be signed in, but may be. `writes`: whether a GET writes, too.
    func kept(
        _ request: Request, writes: Bool, mayLag: Bool, _ body: () async throws -> Response
    ) async throws -> Response {
        guard database.hasReplicas else { return try await body() }
        let sent = request.headers[Self.header]
        let text = sent ?? cookie.token(of: request)
        let mark = text.flatMap(Mark.init)
        let known: Position? =
            if !mayLag {
                nil
            } else if text == nil {
                .start
            } else {
                // There is no position in it: none was known when they wrote, so the primary answers.
                mark.map(later)
            }
        let response = try await Database.reading(from: known, body)
        guard let mark, writes || isWrite(request) else { return response }
        return await note(mark.signIn, isCookie: sent == nil, on: response)
    }

    private func isWrite(_ request: Request) -> Bool { ![.get, .head, .options].contains(request.method) }

    /// The position that the request carries; nil if it carries none, or one of another sign-in or of an ended
    /// timeline.
    private func position(of request: Request, _ caller: Caller) -> Position? {
        let text = caller.isCookie ? cookie.token(of: request) : request.headers[Self.header]
        guard let mark = text.flatMap(Mark.init), mark.signIn == caller.signIn else { return nil }
        let position = later(mark)
        return database.isOfNow(position) ? position : nil
    }

    /// The later of this position and the one that this instance knows: the client may have got two answers out of
    /// order.
    private func later(_ mark: Mark) -> Position { latest.withLock { $0.later(mark.position, of: mark.signIn) } }

    private func note(_ signIn: ID, isCookie: Bool, on response: Response) async -> Response {
        guard let position = try? await database.position() else {
            // Nobody knows where the database is: the primary answers until somebody does.
            return send("unknown", isCookie, on: response)
        }
        return mark(Mark(signIn, position), isCookie: isCookie, on: response)
    }

    private func mark(_ mark: Mark, isCookie: Bool, on response: Response) -> Response {
        latest.withLock { $0.note(mark.position, of: mark.signIn) }
        return send(mark.description, isCookie, on: response)
    }

    private func send(_ text: String, _ isCookie: Bool, on response: Response) -> Response {
        var response = response
        if isCookie { cookie.set(text, on: &response) } else { response.headers.add(Self.header, text) }
        return response
    }
}

/// The latest positions of the sign-ins that wrote in the last minute or two. After that, no answer is still on its way.
private struct Latest {
    private static let life: Duration = .seconds(60)

    private var positions: [ID: Position] = [:]
    private var earlier: [ID: Position] = [:]
    private var began = ContinuousClock.now

    mutating func note(_ position: Position, of signIn: ID) {
        let now = ContinuousClock.now
        if now - began > Self.life { (earlier, positions, began) = (positions, [:], now) }
        positions[signIn] = later(position, of: signIn)
    }

    /// The later of this position and the known one; this one if their timelines differ.
    func later(_ position: Position, of signIn: ID) -> Position {
        guard let known = positions[signIn] ?? earlier[signIn], known.timeline == position.timeline,
            known.place > position.place
        else { return position }
        return known
    }
}
