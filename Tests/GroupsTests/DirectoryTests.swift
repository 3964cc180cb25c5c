import API
import HTTP
import TestSupport
import Testing

/// Finding a group, asking to join it, and the answer.
@Suite(.database) struct DirectoryTests {
    @Test func `a listed group is found, asked, and its answer is told`() async throws {
        let room = try await Room()
        let asker = try await Person("Haneul", groups())
        #expect(await asker.get("/directory").json["items"] == [])
        #expect(await room.owner.patch(room.path, ["listed": true]).json["listed"] == true)
        let found = await asker.get("/directory?q=exam").json["items"][0]
        #expect(found["name"] == "Grad Exam Room" && found["member_count"] == 1 && found["is_member"] == false)
        #expect(found["mean_seconds"].isNull && found["my_request"].isNull)
        let request = await asker.post("\(room.path)/join-requests", ["text": "  Let me in  "])
        let id = request.json["id"].string ?? "-"
        #expect(request.status == .created && request.json["text"] == "Let me in" && request.json["state"] == "open")
        #expect(await asker.get("/me/join-requests/\(id)").json == request.json)
        #expect(await room.owner.get("\(room.path)/join-requests").json["items"][0]["nickname"] == "Haneul")
        #expect(await room.owner.get(room.path).json["open_join_requests"] == 1)
        #expect(await room.owner.get("/groups").json["items"][0]["open_join_requests"] == 1)
        let answer = "\(room.path)/join-requests/\(id)/answer"
        #expect(await room.owner.put(answer, ["accepted": true]).status == .noContent)
        #expect(await room.owner.put(answer, ["accepted": true]).status == .notFound)
        let told = await asker.get("/directory").json["items"][0]
        #expect(told["is_member"] == true && told["my_request"]["state"] == "accepted")
        #expect(await asker.get("/me/join-requests").json["items"][0]["group"]["name"] == "Grad Exam Room")
        #expect(await room.owner.get(room.path).json["open_join_requests"] == 0)
        #expect(await asker.get(room.path).json["open_join_requests"].isNull)
    }

    @Test func `requests are refused by name and one's own can be taken back`() async throws {
        let room = try await Room()
        let asker = try await Person("Haneul", groups())
        let path = "\(room.path)/join-requests"
        #expect(await asker.post(path).status == .notFound)
        _ = await room.owner.patch(room.path, ["listed": true])
        let long = String(repeating: "x", count: 301)
        #expect(await asker.post(path, ["text": .string(long)]).code == "invalid_text")
        let id = await asker.post(path).json["id"].string ?? "-"
        #expect(await asker.post(path).code == "already_asked")
        #expect(await room.owner.post(path).code == "already_member")
        #expect(await room.owner.delete("/me/join-requests/\(id)").status == .notFound)
        #expect(await room.owner.get("/me/join-requests/\(id)").status == .notFound)
        #expect(await asker.delete("/me/join-requests/\(id)").status == .noContent)
        let again = await asker.post(path).json["id"].string ?? "-"
        _ = await room.owner.put("\(path)/\(again)/answer", ["accepted": false])
        #expect(await asker.post(path).code == "declined_lately")
    }

    @Test func `an admin does not list the group`() async throws {
        let room = try await Room()
        let admin = try await room.join("Haneul", as: "admin")
        #expect(await admin.patch(room.path, ["listed": true]).status == .forbidden)
        #expect(await admin.patch(room.path, ["listed": false, "name": "Owls"]).json["name"] == "Owls")
    }
}
