/// One value of a result that is not NULL: its type and its bytes in the server's binary format. Valid only while it is
/// being decoded.
package struct Cell {
    let type: TypeName
    let bytes: UnsafeRawBufferPointer

    /// The bytes do not hold the type that was asked for.
    struct Mismatch: Error {}

    /// The whole cell as one big-endian number of exactly that width.
    func integer<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws -> Number {
        guard bytes.count == MemoryLayout<Number>.size else { throw Mismatch() }
        return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }

    /// The cell as text. The server sends its text types as valid UTF-8, by our client_encoding.
    func text(from offset: Int = 0) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset)), as: UTF8.self)
    }

    /// The cell as text, if it is any: a type that we do not know need not be sent as text.
    func likelyText() throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Mismatch() }
        return text
    }

    /// The elements of a one-dimensional array; nil for a NULL among them.
    func elements() throws -> [Cell?] {
        var rest = Slice(base: bytes, bounds: bytes.startIndex..<bytes.endIndex)
        func number() throws -> Int32 {
            guard rest.count >= 4 else { throw Mismatch() }
            defer { rest = rest.dropFirst(4) }
            return Int32(bigEndian: rest.loadUnaligned(as: Int32.self))
        }
        let dimensions = try number()
        _ = try number()  // whether there are NULLs; each element says so itself
        let type = TypeName(rawValue: UInt32(bitPattern: try number()))
        if dimensions == 0 { return [] }
        guard dimensions == 1 else { throw Mismatch() }
        let count = try number()
        _ = try number()  // the lower bound
        // Each element takes at least its length: a count that lies cannot make us reserve for it.
        guard count >= 0, Int(count) <= rest.count / 4 else { throw Mismatch() }
        return try (0..<count).map { _ in
            let length = Int(try number())
            if length == -1 { return nil }
            guard length >= 0, length <= rest.count else { throw Mismatch() }
            defer { rest = rest.dropFirst(length) }
            return Cell(type: type, bytes: UnsafeRawBufferPointer(rebasing: rest.prefix(length)))
        }
    }
}

/// A type of the server by the number it has in every database.
struct TypeName: RawRepresentable, Hashable, CustomStringConvertible {
    let rawValue: UInt32

    static let bool = TypeName(rawValue: 16)
    static let bytea = TypeName(rawValue: 17)
    static let name = TypeName(rawValue: 19)
    static let int8 = TypeName(rawValue: 20)
    static let int2 = TypeName(rawValue: 21)
    static let int4 = TypeName(rawValue: 23)
    static let text = TypeName(rawValue: 25)
    static let json = TypeName(rawValue: 114)
    static let float4 = TypeName(rawValue: 700)
    static let float8 = TypeName(rawValue: 701)
    static let unknown = TypeName(rawValue: 705)
    static let bpchar = TypeName(rawValue: 1042)
    static let varchar = TypeName(rawValue: 1043)
    static let date = TypeName(rawValue: 1082)
    static let time = TypeName(rawValue: 1083)
    static let timestamptz = TypeName(rawValue: 1184)
    static let numeric = TypeName(rawValue: 1700)
    static let uuid = TypeName(rawValue: 2950)
    static let jsonb = TypeName(rawValue: 3802)

    /// Enumerations and domains over them have numbers from here on; their binary form is their label.
    var isUserDefined: Bool { rawValue >= 16384 }

    private static let names: [TypeName: String] = [
        bool: "bool", bytea: "bytea", name: "name", int8: "int8", int2: "int2", int4: "int4", text: "text",
        json: "json", float4: "float4", float8: "float8", bpchar: "bpchar", varchar: "varchar", date: "date",
        time: "time", timestamptz: "timestamptz", numeric: "numeric", uuid: "uuid", jsonb: "jsonb",
    ]

    var description: String { TypeName.names[self] ?? "type \(rawValue)" }
}
