import Foundation
import Postgres
import TestSupport
import Testing
import Time

@Suite(.database) struct ValuesTests {
    let database = TestDatabase.current.database

    private func echo<Value: PostgresEncodable & PostgresDecodable>(
        _ value: Value, as type: String
    ) async throws -> Value {
        let rows = try await database.read("SELECT \(value)::\(unsafe: type) AS echo")
        return try #require(rows.first)["echo"]
    }

    @Test(arguments: [
        "", "'", "''; DROP TABLE users; --", "$1", "\\", "\\'", "\"", "{\"a\"}", "NULL", "null", "%s", "\u{202E}",
        "두근두근", "👩‍👩‍👧‍👦", "line\nbreak\r\ttab", "\u{1}\u{7f}", String(repeating: "長", count: 100_000),
    ])
    func `a text comes back as it went, whatever it looks like`(text: String) async throws {
        #expect(try await echo(text, as: "text") == text)
        #expect(try await echo([text, "plain", text], as: "text[]") == [text, "plain", text])
        #expect(try await echo(Optional(text), as: "varchar") == text)
    }

    @Test func `a text with NUL is refused and never cut short`() async throws {
        await #expect(throws: PostgresError.self) { try await echo("admin\0", as: "text") }
        await #expect(throws: PostgresError.self) { try await echo(["a", "b\0"], as: "text[]") }
    }

    @Test func `more values than the protocol counts are refused without harm to the connection`() async throws {
        var query = Query.StringInterpolation(literalCapacity: 0, interpolationCount: 70_000)
        query.appendLiteral("SELECT 1 WHERE 1 IN (0")
        for number in 0..<70_000 {
            query.appendLiteral(", ")
            query.appendInterpolation(number)
        }
        query.appendLiteral(")")
        let tooMany = Query(stringInterpolation: query)
        await #expect(throws: PostgresError.self) { try await database.read(tooMany) }
        #expect(try await database.read("SELECT 1").count == 1)
    }

    @Test func `numbers come back exactly, at their limits`() async throws {
        for number in [Int.min, -1, 0, 1, Int.max] { #expect(try await echo(number, as: "int8") == number) }
        for number in [Int32.min, 0, Int32.max] { #expect(try await echo(number, as: "int4") == number) }
        #expect(try await echo(-32768, as: "int2") == -32768)
        for number in [0.1, -0.0, Double.greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity] {
            #expect(try await echo(number, as: "float8") == number)
        }
        #expect(try await echo(Double.nan, as: "float8").isNaN)
        #expect(try await echo([Int.min, 0, Int.max], as: "int8[]") == [Int.min, 0, Int.max])
        #expect(try await echo([1, 2], as: "int4[]") == [1, 2])
        #expect(try await echo([Int](), as: "int4[]") == [])
    }

    @Test func `identifiers, truths, bytes and documents come back`() async throws {
        let uid = ID()
        #expect(try await echo(uid, as: "uuid") == uid)
        #expect(try await echo([uid, uid], as: "uuid[]") == [uid, uid])
        #expect(try await [echo(true, as: "bool"), echo(false, as: "bool")] == [true, false])
        let bytes = (0...255).map { UInt8($0) }
        #expect(try await echo(bytes, as: "bytea") == bytes)
        #expect(try await echo([UInt8](), as: "bytea") == [])
        #expect(try await echo(#"{"a": 1}"#, as: "jsonb") == #"{"a": 1}"#)
        #expect(try await echo(#"{"a":1}"#, as: "json") == #"{"a":1}"#)
    }

    @Test func `new identifiers are random UUIDs of version 4, in lower case`() throws {
        let new = (0..<1000).map { _ in ID() }
        #expect(Set(new).count == 1000)
        let form = try Regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
        for id in new {
            #expect(id.description.wholeMatch(of: form) != nil)
            #expect(id.description == UUID(uuid: id.bytes).uuidString.lowercased() && ID(id.description) == id)
        }
        // Every bit but those of the version and the variant is set in some and not in others.
        for byte in 0..<16 {
            let seen = new.map { id in withUnsafeBytes(of: id.bytes) { $0[byte] } }
            let (fixed, set): (UInt8, UInt8) = byte == 6 ? (0xf0, 0x40) : byte == 8 ? (0xc0, 0x80) : (0, 0)
            #expect(seen.reduce(0, |) == ~fixed | set && seen.reduce(0xff, &) == set)
        }
    }

    @Test func `instants and days come back, also before 2000 and 1970`() async throws {
        for seconds in [0, -1, 946_684_799, 946_684_800, 1_795_237_200, -62_135_596_800, 253_402_300_799] {
            let instant = Instant(secondsSince1970: seconds)
            #expect(try await echo(instant, as: "timestamptz") == instant)
            let day = Day(daysSince1970: seconds / 86400)
            #expect(try await echo(day, as: "date") == day)
        }
        let rows = try await database.read("SELECT timestamptz '1999-12-31 23:59:58.9Z', time '05:00', time '23:59:30'")
        let (instant, start, end) = try #require(rows.first).decode(Instant.self, TimeOfDay.self, TimeOfDay.self)
        #expect("\(instant) \(start) \(end)" == "1999-12-31T23:59:58Z 05:00 23:59")
    }

    @Test func `NULL is nil and nothing else`() async throws {
        #expect(try await echo(String?.none, as: "text") == nil)
        #expect(try await echo(Instant?.none, as: "timestamptz") == nil)
        #expect(try await echo(["a", nil, ""], as: "text[]") == ["a", nil, ""])
        await #expect { try await database.read("SELECT NULL::uuid AS uid").decode(ID.self) } throws: {
            ($0 as? PostgresError)?.description.contains("uid is NULL, not ID") == true
        }
        await #expect(throws: PostgresError.self) {
            try await database.read("SELECT '{a,NULL}'::text[]").decode([String].self)
        }
    }

    @Test func `a column of another type is an error that names it`() async throws {
        let rows = try await database.read(
            "SELECT 1.5::numeric AS share, 'infinity'::timestamptz AS until, 7::int8 AS n")
        let row = try #require(rows.first)
        #expect { try row["share", as: Int.self] } throws: { "\($0)" == "42804, share is numeric, not Int" }
        #expect(throws: PostgresError.self) { try row["until", as: Instant.self] }
        #expect(throws: PostgresError.self) { try row["n", as: Int32.self] }
        #expect(throws: PostgresError.self) { try row["n", as: String.self] }
        #expect(throws: PostgresError.self) { try row["missing", as: Int.self] }
        #expect(throws: PostgresError.self) { try row.decode(Double.self) }
        #expect(throws: PostgresError.self) { try row.decode(Int.self, Int.self, Int.self, Int.self) }
        await #expect(throws: PostgresError.self) {
            try await database.read("SELECT '{{1,2},{3,4}}'::int[]").decode([Int].self)
        }
    }

    @Test func `labels of an enumeration are texts`() async throws {
        try await TestDatabase.current.sql("CREATE TYPE mood AS ENUM ('calm', 'busy')")
        #expect(try await echo("busy", as: "mood") == "busy")
    }

    @Test func `rows are a collection and know how many were touched`() async throws {
        let rows = try await database.read("SELECT n, n * n FROM generate_series(1, 3) AS n")
        #expect(try rows.decode(Int.self, Int.self).map { $0.0 + $0.1 } == [2, 6, 12])
        #expect(rows.count == 3 && rows.affected == 3 && !rows.isEmpty)
        try await TestDatabase.current.sql("CREATE TABLE t (n int); INSERT INTO t VALUES (1), (2)")
        #expect(try await database.write("UPDATE t SET n = n + 1").affected == 2)
        #expect(try await database.write("DELETE FROM t WHERE n = \(9)").affected == 0)
    }
}
