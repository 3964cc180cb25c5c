internal import CPostgres
import Glibc

/// The result of a statement: its rows, and how many it affected.
package struct Rows: RandomAccessCollection, Sendable {
    /// The result as libpq holds it; nothing changes it after it has arrived.
    fileprivate final class Storage: @unchecked Sendable {
        let result: OpaquePointer
        init(_ result: OpaquePointer) { self.result = result }
        deinit { PQclear(result) }
    }

    fileprivate let storage: Storage
    package let startIndex = 0
    package let endIndex: Int

    /// Takes the result over.
    init(_ result: OpaquePointer) {
        storage = Storage(result)
        endIndex = Int(PQntuples(result))
    }

    package subscript(index: Int) -> Row {
        precondition(indices.contains(index), "no such row")
        return Row(rows: self, index: Int32(index))
    }

    /// The first row of a result that must have one. Throws ``PostgresError`` if it has none: the thing asked for may
    /// have been deleted meanwhile.
    package var one: Row {
        get throws {
            guard let row = first else { throw PostgresError.decoding("the result has no row") }
            return row
        }
    }

    /// How many rows the statement inserted, changed, deleted or selected.
    package var affected: Int { Int(String(cString: PQcmdTuples(storage.result))) ?? 0 }

    /// The command as the server names it: `COMMIT`, `ROLLBACK`, `INSERT 0 1`.
    var command: String { String(cString: PQcmdStatus(storage.result)) }

    /// All rows as tuples, by the order of the columns.
    package func decode<each T: PostgresDecodable>(_ types: repeat (each T).Type) throws -> [(repeat each T)] {
        try map { try $0.decode(repeat (each T).self) }
    }
}

/// One row of a result.
package struct Row: Sendable {
    fileprivate let rows: Rows
    fileprivate let index: Int32

    /// The first columns as a tuple. Throws ``PostgresError`` naming the column that does not hold what is asked for.
    package func decode<each T: PostgresDecodable>(_ types: repeat (each T).Type) throws -> (repeat each T) {
        var column: Int32 = -1
        func next<Value: PostgresDecodable>(_: Value.Type) throws -> Value {
            column += 1
            return try value(column)
        }
        return (repeat try next((each T).self))
    }

    /// The column of that name.
    package subscript<Value: PostgresDecodable>(_ name: String, as _: Value.Type = Value.self) -> Value {
        get throws {
            guard let column = column(name) else {
                throw PostgresError.decoding("the result has no column \(name)")
            }
            return try value(column)
        }
    }

    /// The JSON in the column of that name, as the database wrote it. (Decoding the values and encoding them again was a
    /// third of what logging a session cost the service, and most of what a month of the calendar did.)
    package func json(_ name: String) throws -> [UInt8] { Array((try self[name] as String).utf8) }

    /// (PQfnumber would want the name in quotes, and copy it.)
    private func column(_ name: String) -> Int32? {
        let result = rows.storage.result
        return name.withCString { name in (0..<PQnfields(result)).first { strcmp(PQfname(result, $0), name) == 0 } }
    }

    private func value<Value: PostgresDecodable>(_ column: Int32) throws -> Value {
        let result = rows.storage.result
        guard column < PQnfields(result) else {
            throw PostgresError.decoding("the result has only \(PQnfields(result)) columns")
        }
        if PQgetisnull(result, index, column) == 1 { return try null(column) }
        let type = TypeName(rawValue: PQftype(result, column))
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, index, column), count: Int(PQgetlength(result, index, column)))
        do {
            return try Value(Cell(type: type, bytes: bytes))
        } catch is Cell.Mismatch {
            throw PostgresError.decoding("\(name(of: column)) is \(type), not \(Value.self)")
        }
    }

    /// Apart from `value`, where naming the type `Value?` would cost more than reading the value.
    @inline(never)
    private func null<Value: PostgresDecodable>(_ column: Int32) throws -> Value {
        if let null = Value.null { return null }
        throw PostgresError.decoding("\(name(of: column)) is NULL, not \(Value.self)")
    }

    private func name(of column: Int32) -> String { String(cString: PQfname(rows.storage.result, column)) }
}
