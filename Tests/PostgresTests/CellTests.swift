import Testing
import Time
@testable import Postgres

@Suite struct CellTests {
    /// A one-dimensional array as the server sends it.
    private func array(of type: TypeName, _ elements: [[UInt8]?]) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: Int32(value).bigEndian, Array.init) }
        let head = number(1) + number(0) + number(Int(type.rawValue)) + number(elements.count) + number(1)
        return head + elements.flatMap { element in element.map { number($0.count) + $0 } ?? number(-1) }
    }

    private func decode<Value: PostgresDecodable>(_: Value.Type, _ type: TypeName, _ bytes: [UInt8]) throws -> Value {
        try bytes.withUnsafeBytes { try Value(Cell(type: type, bytes: $0)) }
    }

    @Test func `an array is read element by element`() throws {
        let bytes = array(of: .text, [Array("one".utf8), nil, []])
        #expect(try decode([String?].self, TypeName(rawValue: 1009), bytes) == ["one", nil, ""])
    }

    @Test func `bytes that are broken in any way are an error and never read beyond their end`() {
        let samples = [
            array(of: .text, [Array("one".utf8), nil, Array("three".utf8)]),
            array(of: .int8, [[0, 0, 0, 0, 0, 0, 0, 9], [0, 0, 0, 0, 0, 0, 1, 0]]),
            array(of: .uuid, [Array(repeating: 7, count: 16)]),
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = samples.randomElement(using: &generator)!
            for _ in 0..<Int.random(in: 1...3) {
                switch Int.random(in: 0..<3) {
                case 0: bytes.removeLast(Int.random(in: 0...bytes.count))
                case 1 where !bytes.isEmpty:
                    bytes[Int.random(in: 0..<bytes.count)] = [0, 1, 0x7F, 0x80, 0xFF].randomElement()!
                default: bytes.append(UInt8.random(in: 0...255))
                }
            }
            for type in [
                TypeName.text, .int8, .int4, .uuid, .timestamptz, .date, .bool, .float8, .jsonb, .time, .bytea,
            ] {
                _ = try? decode(String.self, type, bytes)
                _ = try? decode(Int.self, type, bytes)
                _ = try? decode(ID.self, type, bytes)
                _ = try? decode(Instant.self, type, bytes).description
                _ = try? decode(Day.self, type, bytes).description
                _ = try? decode(Bool.self, type, bytes)
                _ = try? decode(Double.self, type, bytes)
            }
            _ = try? decode([String?].self, .text, bytes)
            _ = try? decode([Int].self, .int8, bytes)
            _ = try? decode([ID?].self, .uuid, bytes)
        }
        #expect(throws: Cell.Mismatch.self) { try decode([Int].self, .int8, Array(samples[1].dropLast())) }
    }
}
