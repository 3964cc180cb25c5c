import Foundation
import HTTP
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct IdempotencyTests {
    private let service: AccountsService
    private let gate = Gate()

    /// Holds a request until it is opened, and tells when one has come.
    private final class Gate: Sendable {
        private let state = Mutex((isOpen: false, hasVisitor: false))
        var hasVisitor: Bool { state.withLock(\.hasVisitor) }
        func open() { state.withLock { $0.isOpen = true } }
        func pass() async throws {
            state.withLock { $0.hasVisitor = true }
            while !state.withLock(\.isOpen) { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    /// A service with a route that writes a row, and then does as its body says.
    init() throws {
        let database = TestDatabase.current.service
        service = try AccountsService(limits: .generous) { [linger = gate] gate in
            let note: @Sendable (Request, Caller) async throws -> Response = { request, caller in
                let fields = try request.json("text", "then")
                let rows = try await database.write(
                    "INSERT INTO notes (uid, text) VALUES (\(caller.uid), \(try fields.string("text"))) RETURNING id")
                let id = try #require(rows.first).decode(Int.self)
                switch try fields.optionalString("then") {
                case "throw": throw Problem(.conflict, "no_such_luck", ko: "운이 없어요.", en: "No such luck.")
                case "dawdle":
                    _ = try await database.write("SELECT pg_sleep(0.5)")
                    return try .created(["id": id], at: "/notes/\(id)")
                case "linger":
                    try await linger.pass()
                    return .noContent
                case "nothing": return .noContent
                default: return try .created(["id": id], at: "/notes/\(id)")
                }
            }
            return [
                gate.user(.post, "/notes", note), gate.user(.post, "/groups/{id}/notes", note),
                gate.user(.post, "/secrets", idempotent: false, note), gate.user(.put, "/notes", note),
            ]
        }
    }

    private func person(_ email: String = "ant@example.org") async throws -> String {
        try await service.test.sql(
            """
            CREATE TABLE IF NOT EXISTS notes (id integer GENERATED ALWAYS AS IDENTITY, uid uuid, text text);
            GRANT SELECT, INSERT ON notes TO anthill_service;
            """)
        return try await service.register(email).bearer
    }

    private func post(
        _ bearer: String, _ text: String, then: String? = nil, key: String, to path: String = "/notes"
    ) async -> Answer {
        await service.client.post(
            path, json: ["text": .string(text), "then": then.map { .string($0) } ?? .null], bearer: bearer,
            headers: ["Idempotency-Key": key])
    }

    private func notes() async throws -> Int { try await service.number("SELECT count(*) FROM notes") }

    @Test(arguments: [nil, "nothing"]) func `a retry gets the first answer and has no second effect`(then: String?)
        async throws
    {
        let bearer = try await person()
        let key = UUID().uuidString
        let first = await post(bearer, "one", then: then, key: key)
        let second = await post(bearer, "one", then: then, key: key.lowercased())
        #expect(first.headers["Idempotency-Replayed"] == nil)
        #expect(second.headers["Idempotency-Replayed"] == "true")
        #expect(second.status == first.status)
        #expect(second.body == first.body)
        for name in ["Location", "Content-Type"] { #expect(second.headers[name] == first.headers[name]) }
        #expect(try await notes() == 1)
    }

    @Test func `the same key with another body or another path is refused`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        #expect(await post(bearer, "one", key: key).status == .created)
        let other = await post(bearer, "two", key: key)
        #expect(other.status == .unprocessable)
        #expect(other.code == "idempotency_key_reused")
        #expect(await post(bearer, "one", key: key, to: "/groups/1/notes").status == .created)
        #expect(await post(bearer, "one", key: key, to: "/groups/2/notes").code == "idempotency_key_reused")
        #expect(try await notes() == 2)
    }

    @Test func `the order of a body's members makes no difference, their values do`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        let bodies = [
            #"{"text":"one","then":null}"#, #"{ "then": null, "text": "one" }"#, #"{"then":null,"text":"One"}"#,
        ]
        var codes: [Int] = []
        for body in bodies {
            let headers: Headers = [
                "Authorization": "Bearer \(bearer)", "Content-Type": "application/json", "Idempotency-Key": key,
            ]
            let request = Request(.post, "/notes", headers: headers, body: Array(body.utf8))
            codes.append(await service.router.respond(to: request).status.code)
        }
        #expect(codes == [201, 201, 422])
        #expect(try await notes() == 1)
    }

    @Test func `a key is its owner's alone`() async throws {
        let (ant, bee) = (try await person(), try await person("bee@example.org"))
        let key = UUID().uuidString
        #expect(await post(ant, "one", key: key).status == .created)
        let other = await post(bee, "one", key: key)
        #expect(other.status == .created)
        #expect(other.headers["Idempotency-Replayed"] == nil)
    }

    @Test func `a refusal has no effect, is not kept, and is evaluated anew`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        for _ in 0..<2 {
            let answer = await post(bearer, "one", then: "throw", key: key)
            #expect(answer.status == .conflict)
            #expect(answer.headers["Idempotency-Replayed"] == nil)
        }
        #expect(try await notes() == 0)
        #expect(try await service.number("SELECT count(*) FROM idempotency_keys") == 0)
        #expect(await post(bearer, "two", key: key).status == .created)
    }

    @Test(arguments: ["", "1", "not-a-uuid", "00000000-0000-0000-0000-00000000000", "{\(ID())}"])
    func `a key that is no UUID cannot be read`(key: String) async throws {
        let bearer = try await person()
        let answer = await post(bearer, "one", key: key)
        #expect(answer.status == .badRequest)
        #expect(answer.code == "invalid_idempotency_key")
        #expect(try await notes() == 0)
    }

    @Test func `a twin in flight waits for the first and gets its answer`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        async let one = post(bearer, "one", then: "dawdle", key: key)
        async let two = post(bearer, "one", then: "dawdle", key: key)
        let answers = await [one, two]
        #expect(answers.allSatisfy { $0.status == .created })
        #expect(answers[0].body == answers[1].body)
        #expect(answers.filter { $0.headers["Idempotency-Replayed"] == "true" }.count == 1)
        #expect(try await notes() == 1)
    }

    @Test func `32 twins at once have one effect`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        let answers = await withTaskGroup(of: Answer.self) { group in
            for _ in 0..<32 { group.addTask { await post(bearer, "one", key: key) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == .created })
        #expect(Set(answers.map(\.body)).count == 1)
        #expect(answers.filter { $0.headers["Idempotency-Replayed"] == nil }.count == 1)
        #expect(try await notes() == 1)
    }

    @Test func `a twin waits no longer than two seconds`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        async let one = post(bearer, "one", then: "linger", key: key)
        while !gate.hasVisitor { try await Task.sleep(for: .milliseconds(5)) }
        let two = await post(bearer, "one", then: "linger", key: key)
        #expect(two.status == .conflict)
        #expect(two.code == "request_in_flight")
        gate.open()
        #expect(await one.status == .noContent)
        #expect(try await notes() == 1)
    }

    @Test func `a twin of what failed is evaluated anew`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        async let one = post(bearer, "one", then: "throw", key: key)
        async let two = post(bearer, "one", then: "throw", key: key)
        #expect(await [one.code, two.code] == ["no_such_luck", "no_such_luck"])
        #expect(try await notes() == 0)
    }

    @Test func `a key is kept for 24 hours`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        _ = await post(bearer, "one", key: key)
        try await service.test.advance(24 * 3600 - 1)
        #expect(await post(bearer, "one", key: key).headers["Idempotency-Replayed"] == "true")
        try await service.test.advance(1)
        #expect(await post(bearer, "one", key: key).headers["Idempotency-Replayed"] == nil)
        #expect(try await notes() == 2)
    }

    @Test func `only a POST that answers no secret heeds the key`() async throws {
        let bearer = try await person()
        let key = UUID().uuidString
        for _ in 0..<2 {
            #expect(await post(bearer, "one", key: key, to: "/secrets").headers["Idempotency-Replayed"] == nil)
            let put = await service.client.put(
                "/notes", json: ["text": "one"], bearer: bearer, headers: ["Idempotency-Key": key])
            #expect(put.headers["Idempotency-Replayed"] == nil)
        }
        #expect(try await notes() == 4)
        #expect(try await service.number("SELECT count(*) FROM idempotency_keys") == 0)
    }
}
