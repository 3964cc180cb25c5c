/// The byte classes of RFC 9110 and RFC 3986.
enum ASCII {
    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// The value of a hexadecimal digit.
    @inline(__always)
    static func hexadecimal(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x37
        case 0x61...0x66: Int(byte) - 0x57
        default: nil
        }
    }

    /// A character of a method or header name.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool { tokens.contains(byte) }

    /// A character that may stand in a path segment as it is.
    @inline(__always)
    static func isPathCharacter(_ byte: UInt8) -> Bool { pathCharacters.contains(byte) }

    /// A character of a host and its port, also of an IPv6 address in brackets.
    @inline(__always)
    static func isHostCharacter(_ byte: UInt8) -> Bool { hostCharacters.contains(byte) }

    /// A byte of a header value: no control but the tab.
    @inline(__always)
    static func isFieldContent(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let tokens = Set128("!#$%&'*+-.^_`|~" + alphanumeric)
    private static let pathCharacters = Set128("-._~!$&'()*+,;=:@" + alphanumeric)

    private static let hostCharacters = Set128("-._~!$&'()*+,;=:[]%" + alphanumeric)

    /// A set of ASCII characters as two words.
    private struct Set128 {
        private var low: UInt64 = 0
        private var high: UInt64 = 0

        init(_ characters: String) {
            for byte in characters.utf8 {
                if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
            }
        }

        @inline(__always)
        func contains(_ byte: UInt8) -> Bool {
            if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
            return byte < 128 && high >> UInt64(byte - 64) & 1 == 1
        }
    }
}
