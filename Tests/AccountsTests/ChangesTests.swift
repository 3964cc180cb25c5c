import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct ChangesTests {
    private var database: Database { TestDatabase.current.database }
    private let changes = Changes(database: TestDatabase.current.database)
    private let subject = ID()

    private func note(_ subject: ID) async throws {
        _ = try await database.write("SELECT note_change(\(subject))")
    }

    @Test func `nothing is sure before the first question, and afterwards what was not heard of`() async throws {
        let before = changes.number
        _ = try await changes.moment()
        #expect(!changes.isSilent(about: subject, since: before))
        #expect(changes.heard(since: before) == nil)
        let known = changes.number
        _ = try await changes.moment()
        #expect(changes.isSilent(about: subject, since: known))
        try await note(subject)
        let moment = try await changes.moment()
        #expect(!changes.isSilent(about: subject, since: known))
        #expect(changes.isSilent(about: ID(), since: known))
        #expect(changes.heard(since: known) == [subject])
        #expect(changes.isSilent(about: subject, since: moment.number))
        #expect(changes.heard(since: moment.number) == [])
    }

    @Test func `what is committed late is heard of then`() async throws {
        _ = try await changes.moment()
        try await database.transaction {
            try await note(subject)
            // Asked by itself, whatever the transaction is that somebody asks in.
            let early = try await changes.moment()
            _ = try await changes.moment()
            #expect(changes.isSilent(about: subject, since: early.number))
        }
        let known = changes.number
        _ = try await changes.moment()
        #expect(!changes.isSilent(about: subject, since: known))
    }

    @Test func `nothing is sure after more changes than one answer holds`() async throws {
        _ = try await changes.moment()
        _ = try await database.write("SELECT note_change(gen_random_uuid()) FROM generate_series(1, 1000)")
        let known = changes.number
        let moment = try await changes.moment()
        #expect(!changes.isSilent(about: subject, since: known))
        #expect(changes.heard(since: known) == nil)
        #expect(changes.isSilent(about: subject, since: moment.number))
    }

    @Test func `nothing is sure when the clock was set`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        _ = try await changes.moment()
        for seconds in [59, 61, -3600] {
            let known = changes.number
            try await TestDatabase.current.advance(seconds)
            _ = try await changes.moment()
            #expect(changes.isSilent(about: subject, since: known) == (seconds == 59))
        }
    }

    @Test func `no more is remembered than there is room for`() async throws {
        let changes = Changes(database: database, mostSubjects: 20)
        _ = try await changes.moment()
        let known = changes.number
        for _ in 0..<3 {
            _ = try await database.write("SELECT note_change(gen_random_uuid()) FROM generate_series(1, 15)")
            _ = try await changes.moment()
        }
        #expect(!changes.isSilent(about: subject, since: known))
        #expect(changes.isSilent(about: subject, since: changes.number))
    }

    @Test func `what was heard of long ago is not known in its order`() async throws {
        let changes = Changes(database: database, mostRecent: 8)
        _ = try await changes.moment()
        let known = changes.number
        for _ in 0..<2 {
            _ = try await database.write("SELECT note_change(gen_random_uuid()) FROM generate_series(1, 5)")
            _ = try await changes.moment()
        }
        #expect(changes.heard(since: known) == nil)
        #expect(changes.heard(since: known + 1)?.count == 5)
        #expect(changes.isSilent(about: subject, since: known))
    }

    @Test func `all who ask meanwhile share the next question`() async throws {
        let numbers = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<200 { tasks.addTask { try await changes.moment().number } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(numbers.count == 200)
        #expect(changes.number < 200)
        #expect(numbers.max() == changes.number)
    }

    @Test func `a question that fails is an error for those who asked it, and the next is asked anew`() async throws {
        _ = try await changes.moment()
        try await TestDatabase.current.sql("ALTER TABLE board_changes RENAME TO elsewhere")
        await #expect(throws: PostgresError.self) { try await changes.moment() }
        try await TestDatabase.current.sql("ALTER TABLE elsewhere RENAME TO board_changes")
        _ = try await changes.moment()
    }
}
