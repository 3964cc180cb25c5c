import Foundation
import HTTP
import TestSupport
import Testing

@Suite(.database) struct PagingTests {
    /// The uids of all pages, in order; between them `meanwhile` happens.
    private func pages(
        of room: Room, for reader: Person, limit: Int, meanwhile: () async throws -> Void = {}
    ) async throws -> [JSON] {
        var pages: [JSON] = []
        var next: String? = ""
        while let cursor = next {
            let page = await reader.board(room, "limit=\(limit)\(cursor.isEmpty ? "" : "&after=\(cursor)")")
            pages.append(page)
            next = page["next"].string
            try await meanwhile()
        }
        return pages
    }

    private func uids(_ pages: [JSON]) -> [String] {
        pages.flatMap { $0["entries"].array ?? [] }.compactMap { $0["uid"].string }
    }

    @Test(arguments: [1, 2, 3, 7, 13, 14])
    func `pages follow one another without a gap or a repetition, ties included`(limit: Int) async throws {
        let room = try await Room()
        for number in 0..<12 {
            let person = try await room.join("Ant \(number)")
            await person.log("2026-11-21T01:00:00Z", "2026-11-21T01:\(10 + number % 4):00Z")
        }
        let whole = await room.owner.board(room)
        #expect(whole.nicknames.count == 13)
        let pages = try await pages(of: room, for: room.owner, limit: limit)
        #expect(uids(pages) == whole["entries"].array?.compactMap { $0["uid"].string })
        #expect(pages.flatMap(\.ranks) == whole.ranks)
        #expect(pages.count == (13 + limit - 1) / limit)
    }

    @Test func `while timers run, all pages are of the first one's instant`() async throws {
        let room = try await Room()
        var runners: [Person] = []
        for number in 0..<6 {
            let person = try await room.join("Ant \(number)")
            await person.log("2026-11-21T01:00:00Z", "2026-11-21T01:\(10 + number):00Z")
            runners.append(person)
        }
        for person in runners[..<3] { _ = await person.post("/me/timer/start") }
        try await TestDatabase.current.advance(90)
        let whole = await room.owner.board(room)
        let pages = try await pages(of: room, for: room.owner, limit: 2) {
            // Enough for the slowest runner to overtake everybody who rests.
            try await TestDatabase.current.advance(600)
        }
        #expect(uids(pages) == whole["entries"].array?.compactMap { $0["uid"].string })
        #expect(pages.map(\.["as_of"]) == Array(repeating: whole["as_of"], count: 4))
        #expect(pages.flatMap(\.seconds) == whole.seconds)
    }

    @Test func `who is not moved is on one page once while others record`() async throws {
        let room = try await Room()
        var people: [Person] = []
        for number in 0..<8 {
            let person = try await room.join("Ant \(number)")
            await person.log("2026-11-21T01:00:00Z", "2026-11-21T01:\(20 + number):00Z")
            people.append(person)
        }
        var climber = 0
        let pages = try await pages(of: room, for: room.owner, limit: 2) {
            guard climber < 3 else { return }
            await people[climber].log("2026-11-21T02:00:00Z", "2026-11-21T03:00:00Z")
            climber += 1
        }
        let seen = uids(pages)
        for person in people[3...] + [room.owner] { #expect(seen.count { $0 == person.id } == 1) }
    }

    @Test func `a cursor across midnight of the month stays in its month`() async throws {
        let room = try await Room(at: "2026-11-30T19:59:59Z")
        for number in 0..<2 { _ = try await room.join("Ant \(number)") }
        let pages = try await pages(of: room, for: room.owner, limit: 1) {
            try await TestDatabase.current.setClock("2026-11-30T20:00:00Z")
        }
        #expect(pages.map(\.["at"]) == ["2026-11", "2026-11", "2026-11"])
        #expect(Set(uids(pages)).count == 3)
    }

    @Test func `only the first page has the reader's own place`() async throws {
        let room = try await Room()
        _ = try await room.join("Haneul")
        let pages = try await pages(of: room, for: room.owner, limit: 1)
        #expect(pages.map { $0["me"].isNull } == [false, true])
    }
}
