import API
import Foundation
import TestSupport

@testable import HTTP
@testable import Ranking

/// Somebody who has a board's stream open.
actor Viewer {
    struct Event {
        let name: String
        let id: String?
        let board: JSON
    }

    let status: Status
    private let stream: EventStream?
    private var text = ""

    init(
        _ person: Person, _ room: Room, _ live: Instance, query: String = "", lastID: String? = nil
    ) async throws {
        try await self.init(person, at: "\(room.path)/leaderboard/stream\(query)", live, lastID: lastID)
    }

    init(_ person: Person, at path: String, _ live: Instance, lastID: String? = nil) async throws {
        var headers: Headers = ["Host": "localhost:8080", "Authorization": "Bearer \(person.token)"]
        if let lastID { headers.set("Last-Event-ID", lastID) }
        let target = Target("/api/v1\(path)")!
        let request = Request(.get, target, headers: headers, body: [], client: .loopback, peerIsLoopback: true)
        let response = await Router(live.ranking.routes.map(\.route)).respond(to: request)
        status = response.status
        if case .stream(let stream) = response.body { self.stream = stream } else { stream = nil }
    }

    /// The next event, also a ping; nil when the stream has ended, or nothing comes in a minute.
    func next() async throws -> Event? {
        let patience = ContinuousClock.now + .seconds(60)
        while .now < patience {
            if let end = text.range(of: "\n\n") {
                let lines = text[..<end.lowerBound].split(separator: "\n")
                text = String(text[end.upperBound...])
                func value(_ name: String) -> String? {
                    lines.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
                }
                return Event(
                    name: value("event") ?? "", id: value("id"),
                    board: value("data").flatMap { JSON(text: Array($0.utf8)) } ?? .null)
            }
            switch stream?.take() {
            case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
            case .nothing: try await Task.sleep(for: .milliseconds(5))
            case .end, .dropped, nil: return nil
            }
        }
        return nil
    }

    /// The next board, however many pings come before it; nil when none comes in a minute.
    func board() async throws -> Event? {
        let patience = ContinuousClock.now + .seconds(60)
        while .now < patience, let event = try await next() { if event.name == "leaderboard" { return event } }
        return nil
    }

    /// The names of the next events.
    func names(_ count: Int) async throws -> [String] {
        var names: [String] = []
        while names.count < count, let event = try await next() { names.append(event.name) }
        return names
    }

    /// Goes away, as a closed tab does.
    func leave() { stream?.detach() }
}

extension Instance {
    /// One whose live boards are quicker than life.
    static func quick(ping: Duration = .milliseconds(60)) -> Instance {
        var rhythm = LiveBoards.Rhythm()
        rhythm.changes = .milliseconds(20)
        rhythm.access = .milliseconds(40)
        rhythm.others = .milliseconds(60)
        rhythm.ping = ping
        return Instance(rhythm: rhythm)
    }

    /// How many streams are open.
    var count: Int { ranking.live.count }

    func stop() { ranking.live.stop() }
}
