/// The bound values of a statement, one after another in one buffer, as libpq wants them.
package struct Parameters: Sendable {
    private struct Value {
        /// Where it begins; nil for NULL.
        var offset: Int?
        var length = 0
        var isBinary = false
    }

    private var bytes: [UInt8] = []
    private var values: [Value] = []
    /// Set when a value cannot be sent; the statement then fails without reaching the server.
    private(set) var fault: PostgresError?

    var count: Int { values.count }

    /// Appends a value in the server's text format.
    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(text: $0) }
    }

    private mutating func append(text: UnsafeBufferPointer<UInt8>) {
        // libpq takes text up to the first NUL: sent as it is, the rest of the value would be lost in silence.
        if text.contains(0) { fault = .unsendable("a text with a NUL character") }
        add(Value(offset: bytes.count, length: text.count))
        bytes.append(contentsOf: text)
        bytes.append(0)
    }

    /// Appends a value in the server's binary format.
    mutating func append(binary: [UInt8]) {
        add(Value(offset: bytes.count, length: binary.count, isBinary: true))
        bytes.append(contentsOf: binary)
        // An empty value still needs an address of its own: libpq takes a null pointer for NULL.
        bytes.append(0)
    }

    private mutating func add(_ value: Value) {
        values.append(value)
        // The protocol counts in 16 bits, and libpq would give the whole connection up.
        if values.count > 65_535 { fault = .unsendable("more values than a statement may have") }
    }

    mutating func appendNull() { add(Value(offset: nil)) }

    /// Appends `elements` as one array literal, `{"a",NULL}`, which suits whatever element type the server infers.
    mutating func append<Element: PostgresEncodable>(array elements: [Element]) {
        var scratch = Parameters()
        for element in elements { element.bind(to: &scratch) }
        if let fault = scratch.fault { self.fault = fault }
        var literal: [UInt8] = [UInt8(ascii: "{")]
        for value in scratch.values {
            if literal.count > 1 { literal.append(UInt8(ascii: ",")) }
            guard let offset = value.offset else {
                literal.append(contentsOf: "NULL".utf8)
                continue
            }
            literal.append(UInt8(ascii: "\""))
            for byte in scratch.bytes[offset..<offset + value.length] {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { literal.append(UInt8(ascii: "\\")) }
                literal.append(byte)
            }
            literal.append(UInt8(ascii: "\""))
        }
        literal.append(UInt8(ascii: "}"))
        literal.withUnsafeBufferPointer { append(text: $0) }
    }

    /// Lends libpq's parallel arrays: count, values, lengths, formats.
    func withPointers<R>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>
        ) -> R
    ) -> R {
        bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count + 1) { pointers in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count + 1) { numbers in
                    for (index, value) in values.enumerated() {
                        pointers[index] = value.offset.flatMap { offset in base.map { $0 + offset } }
                        numbers[index] = Int32(clamping: value.length)
                        numbers[count + index] = value.isBinary ? 1 : 0
                    }
                    let lengths = UnsafePointer(numbers.baseAddress!)
                    return body(Int32(count), UnsafePointer(pointers.baseAddress!), lengths, lengths + count)
                }
            }
        }
    }
}
