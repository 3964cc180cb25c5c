import API
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@Suite struct IDTests {
    private static let upper = "0D9E6D2A-6F0B-4B0E-9D5C-2F1A3B4C5D6E"
    private static let lower = "0d9e6d2a-6f0b-4b0e-9d5c-2f1a3b4c5d6e"

    private struct Thing: Encodable {
        let id: ID
        @OrNull var parent: ID?
        let none: ID?
        let parts: [ID]
    }

    @Test func `in JSON it is in lower case, also alone and in a list`() throws {
        let id = try #require(ID(Self.upper))
        let json = try JSON.bytes(Thing(id: id, parent: id, none: nil, parts: [id, id]))
        let quoted = "\"\(Self.lower)\""
        #expect(
            String(decoding: json, as: UTF8.self)
                == "{\"id\":\(quoted),\"parent\":\(quoted),\"parts\":[\(quoted),\(quoted)]}")
        #expect("\(id)" == Self.lower)
        #expect(try JSONDecoder().decode([ID].self, from: Data("[\(quoted)]".utf8)) == [id])
    }

    @Test(
        arguments: [
            "", "0d9e6d2a", "{0d9e6d2a-6f0b-4b0e-9d5c-2f1a3b4c5d6e}", "0d9e6d2a6f0b4b0e9d5c2f1a3b4c5d6e",
            "0d9e6d2a-6f0b-4b0e-9d5c-2f1a3b4c5d6", "0d9e6d2a-6f0b-4b0e-9d5c-2f1a3b4c5d6e0",
            "0d9e6d2a-6f0b-4b0e-9d5c-2f1a3b4c5d6g", "0d9e6d2a-6f0b-4b0e-9d5c02f1a3b4c5d6e",
            "0d9e6d2-a6f0b-4b0e-9d5c-2f1a3b4c5d6e", "+1+1+1+1-+1+1-+1+1-+1+1-+1+1+1+1+1+1",
            "1 23aabb-6f0b-4b0e-9d5c-2f1a3b4c5d6e", "0x3e4567-6f0b-4b0e-9d5c-2f1a3b4c5d6e",
        ])
    func `another text is none`(text: String) {
        #expect(ID(text) == nil)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([ID].self, from: JSONEncoder().encode([text])) }
    }

    @Test func `a path parameter that is not a UUID is 404`() async {
        let client = Client(Router([Route(.get, "/things/{id}") { try .json(["id": $0.uuid("id")]) }]))
        #expect(await client.get("/things/x").status == .notFound)
        #expect(await client.get("/things/\(Self.upper)").json["id"] == .string(Self.lower))
    }

    @Test(
        arguments: [
            (JSON.string("x"), "wrong_type"), (7, "wrong_type"), (["x"], "wrong_type"), (nil, "missing_field"),
        ] as [(JSON, String)])
    func `a field that should be one and is none says so`(value: JSON, code: String) {
        let problem = #expect(throws: Problem.self) { try Fields(["id": value]).uuid("id") }
        #expect(problem?.code == code && problem?.field == "id")
    }

    @Test func `a list of them is read as a whole`() throws {
        let fields = Fields(["ids": .array([.string(Self.upper)]), "wrong": .array([.string(Self.upper), "x"])])
        #expect(try fields.optionalUUIDs("ids") == [try #require(ID(Self.lower))])
        #expect(try fields.optionalUUIDs("none") == nil)
        #expect(throws: Problem.self) { try fields.optionalUUIDs("wrong") }
    }
}
