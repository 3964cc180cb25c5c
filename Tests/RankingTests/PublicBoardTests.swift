import API
import Accounts
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Ranking

@Suite(.database) struct PublicBoardTests {
    private func board(of room: Room) async -> Answer {
        await everything().get("/api/v1\(room.path)/public-leaderboard")
    }

    @Test func `a stranger reads the month of a group that allows it, and nothing of who hides`() async throws {
        let room = try await Room()
        let (friend, hidden) = (try await room.join("Haneul"), try await room.join("Sora"))
        await room.owner.log("2026-11-20T21:00:00Z", "2026-11-20T22:00:00Z")
        await friend.log("2026-11-20T21:00:00Z", "2026-11-21T00:00:00Z")
        await hidden.log("2026-11-20T21:00:00Z", "2026-11-20T23:00:00Z")
        _ = await hidden.patch("\(room.path)/members/me", ["visibility": "hidden"])
        let unknown = await everything().get("/api/v1/groups/\(UUID().uuidString)/public-leaderboard")
        #expect(await board(of: room).code == unknown.code && unknown.status == .notFound)
        _ = await room.owner.patch(room.path, ["board_public": true])
        let answer = await board(of: room)
        #expect(answer.status == .ok)
        #expect(answer.json["month"] == "2026-11" && answer.json["participants"] == 3)
        #expect(
            answer.json["entries"] == [
                ["rank": 1, "hidden": false, "nickname": "Haneul", "seconds": 10800],
                ["rank": 2, "hidden": true, "nickname": nil, "seconds": nil],
                ["rank": 3, "hidden": false, "nickname": "Dodam", "seconds": 3600],
            ])
        let text = String(decoding: answer.body, as: UTF8.self)
        for secret in [room.owner.id, friend.id, hidden.id, "Sora"] { #expect(!text.contains(secret)) }
        _ = await room.owner.patch(room.path, ["board_public": false])
        #expect(await board(of: room).status == .notFound)
    }

    @Test func `a board is worked out once for all who ask in the same seconds, but consent is always asked`()
        async throws
    {
        let room = try await Room()
        _ = await room.owner.patch(room.path, ["board_public": true])
        let (database, gate) = (TestDatabase.current.service, Person.gate())
        let store = PublicBoards(
            database: database, boards: BoardStore(database: database, changes: gate.changes),
            remembering: .seconds(3600))
        let group = try #require(ID(room.id))
        #expect(try await store.board(of: group).entries.first?.seconds == 0)
        await room.owner.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
        #expect(try await store.board(of: group).entries.first?.seconds == 0)
        _ = await room.owner.patch(room.path, ["board_public": false])
        await #expect(throws: Refusal.ranking.groupNotFound) { try await store.board(of: group) }
    }
}
