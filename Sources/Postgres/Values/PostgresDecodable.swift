import Time

/// A value that can be read from a column.
package protocol PostgresDecodable: Sendable {
    /// Reads a value that is not NULL.
    init(_ cell: Cell) throws
    /// What NULL becomes; nil if it is an error.
    static var null: Self? { get }
    /// Reads a column that holds many of these.
    static func array(_ cell: Cell) throws -> [Self]
}

extension PostgresDecodable {
    package static var null: Self? { nil }

    package static func array(_ cell: Cell) throws -> [Self] {
        try cell.elements().map { element in
            guard let element else {
                guard let null = Self.null else { throw Cell.Mismatch() }
                return null
            }
            return try Self(element)
        }
    }
}

/// Texts, JSON and labels of enumerations.
extension String: PostgresDecodable {
    package init(_ cell: Cell) throws {
        switch cell.type {
        case .text, .varchar, .bpchar, .name, .json, .unknown: self = cell.text()
        case .jsonb:
            guard cell.bytes.first == 1 else { throw Cell.Mismatch() }
            self = cell.text(from: 1)
        case let type where type.isUserDefined: self = try cell.likelyText()
        default: throw Cell.Mismatch()
        }
    }
}

/// An enumeration is read by its raw value; one it does not have is a mismatch.
extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    package init(_ cell: Cell) throws {
        guard let value = Self(rawValue: try RawValue(cell)) else { throw Cell.Mismatch() }
        self = value
    }
}

extension Bool: PostgresDecodable {
    package init(_ cell: Cell) throws {
        guard cell.type == .bool else { throw Cell.Mismatch() }
        self = try cell.integer(UInt8.self) != 0
    }
}

/// Any integer column.
extension Int: PostgresDecodable {
    package init(_ cell: Cell) throws {
        switch cell.type {
        case .int8: self = Int(try cell.integer(Int64.self))
        case .int4: self = Int(try cell.integer(Int32.self))
        case .int2: self = Int(try cell.integer(Int16.self))
        default: throw Cell.Mismatch()
        }
    }
}

extension Int32: PostgresDecodable {
    package init(_ cell: Cell) throws {
        switch cell.type {
        case .int4: self = try cell.integer()
        case .int2: self = Int32(try cell.integer(Int16.self))
        default: throw Cell.Mismatch()
        }
    }
}

extension Double: PostgresDecodable {
    package init(_ cell: Cell) throws {
        switch cell.type {
        case .float8: self = Double(bitPattern: try cell.integer())
        case .float4: self = Double(Float(bitPattern: try cell.integer()))
        default: throw Cell.Mismatch()
        }
    }
}

/// A `timestamptz`; fractions of a second are cut off.
extension Instant: PostgresDecodable {
    package init(_ cell: Cell) throws {
        guard cell.type == .timestamptz else { throw Cell.Mismatch() }
        let microseconds = try cell.integer(Int64.self)
        // The two ends are the server's infinities.
        guard microseconds != .max, microseconds != .min else { throw Cell.Mismatch() }
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        self.init(secondsSince1970: Int(seconds) - (rest < 0 ? 1 : 0) + serverEpoch * 86400)
    }
}

/// A `date`.
extension Day: PostgresDecodable {
    package init(_ cell: Cell) throws {
        guard cell.type == .date else { throw Cell.Mismatch() }
        let days = try cell.integer(Int32.self)
        guard days != .max, days != .min else { throw Cell.Mismatch() }
        self.init(daysSince1970: Int(days) + serverEpoch)
    }
}

/// A `time`; fractions of a second are cut off.
extension TimeOfDay: PostgresDecodable {
    package init(_ cell: Cell) throws {
        guard cell.type == .time else { throw Cell.Mismatch() }
        let seconds = Int(try cell.integer(Int64.self) / 1_000_000)
        // The end of a day is a time to the server.
        guard (0..<86400).contains(seconds) else { throw Cell.Mismatch() }
        self.init(seconds: seconds)
    }
}

/// PostgreSQL counts from 2000-01-01, this many days after 1970-01-01.
private let serverEpoch = 10957

/// One byte by itself is no column; an array of them is a `bytea`.
extension UInt8: PostgresDecodable {
    package init(_ cell: Cell) throws { throw Cell.Mismatch() }

    package static func array(_ cell: Cell) throws -> [UInt8] {
        guard cell.type == .bytea else { throw Cell.Mismatch() }
        return [UInt8](cell.bytes)
    }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
    package init(_ cell: Cell) throws { self = try Element.array(cell) }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    package init(_ cell: Cell) throws { self = try Wrapped(cell) }
    package static var null: Self? { .some(nil) }
}
