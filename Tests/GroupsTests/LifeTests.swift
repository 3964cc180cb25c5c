import API
import HTTP
import TestSupport
import Testing

/// What members do together: the notice, the cycle and cheers.
@Suite(.database) struct LifeTests {
    @Test(arguments: ["", "  \n ", "\u{202E}turned around", String(repeating: "x", count: 301)])
    func `a notice has words that everybody can read, and few enough`(text: String) async throws {
        let room = try await Room()
        let answer = await room.owner.put("\(room.path)/notice", ["text": .string(text)])
        #expect(answer.status == .unprocessable && answer.code == "invalid_notice")
    }

    @Test func `a notice of the longest length with line breaks is kept`() async throws {
        let room = try await Room()
        let text = "  " + String(repeating: "x", count: 149) + "\n\n" + String(repeating: "가", count: 149) + "  "
        #expect(await room.owner.put("\(room.path)/notice", ["text": .string(text)]).status == .noContent)
    }

    @Test(
        arguments: [
            (0, 10, 0, "study_minutes"), (50, 0, 0, "rest_minutes"), (1441, 1, 0, "study_minutes"),
            (1440, 1, 0, "study_minutes"), (50, 1391, 0, "rest_minutes"), (.max, .max, 0, "study_minutes"),
            (50, 10, 60, "minute"), (50, 10, -1, "minute"),
        ] as [(Int, Int, Int, String)])
    func `a cycle that nobody can follow is refused`(study: Int, rest: Int, minute: Int, field: String) async throws {
        let room = try await Room()
        let answer = await room.owner.put(
            "\(room.path)/cycle",
            ["study_minutes": .integer(study), "rest_minutes": .integer(rest), "minute": .integer(minute)])
        #expect(answer.status == .unprocessable)
        #expect(answer.code == (field == "minute" ? "invalid_minute" : "invalid_cycle"))
        #expect(answer.json["field"] == .string(field))
    }

    @Test func `cheers are refused by name`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        func cheer(_ uid: String) async -> Answer {
            await room.owner.post("\(room.path)/cheers", ["uid": .string(uid)])
        }
        #expect(await cheer(friend.id).status == .noContent)
        #expect(await cheer(friend.id).code == "already_cheered")
        #expect(await cheer(room.owner.id).code == "not_yourself")
        for n in 1...9 { #expect(await cheer(try await room.join("Ant \(n)").id).status == .noContent) }
        #expect(await cheer(try await room.join("Late").id).code == "too_many_cheers")
        let hiding = try await room.join("Shy")
        _ = await hiding.patch("\(room.path)/members/me", ["visibility": "hidden"])
        #expect(await cheer(hiding.id).status == .notFound)
    }
}
