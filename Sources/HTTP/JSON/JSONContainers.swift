/// The encoder of one value: hands out containers that write straight to the output.
struct JSONValueEncoder: Encoder {
    let output: JSONOutput
    /// How many containers are open around this value.
    let depth: Int
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        output.openObject(depth: depth)
        return KeyedEncodingContainer(JSONObject(output: output, depth: depth + 1, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        output.openArray(depth: depth)
        return JSONArray(output: output, depth: depth + 1, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONSingle(output: output, depth: depth, codingPath: codingPath)
    }
}

private struct JSONObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    let depth: Int
    let codingPath: [any CodingKey]

    mutating func encodeNil(forKey key: Key) {
        output.name(key, depth: depth)
        output.raw("null")
    }

    mutating func encode(_ value: Bool, forKey key: Key) {
        output.name(key, depth: depth)
        output.write(value)
    }

    mutating func encode(_ value: String, forKey key: Key) {
        output.name(key, depth: depth)
        output.write(value)
    }

    mutating func encode(_ value: Int, forKey key: Key) {
        output.name(key, depth: depth)
        output.write(value)
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        output.name(key, depth: depth)
        try output.write(value)
    }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        output.name(key, depth: depth)
        try output.write(value, depth: depth, path: codingPath)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key)
        -> KeyedEncodingContainer<Nested>
    {
        superEncoder(forKey: key).container(keyedBy: keyedBy)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        superEncoder(forKey: key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        output.name(MemberName("super"), depth: depth)
        return JSONValueEncoder(output: output, depth: depth, codingPath: codingPath)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        output.name(key, depth: depth)
        return JSONValueEncoder(output: output, depth: depth, codingPath: codingPath)
    }
}

private struct JSONArray: UnkeyedEncodingContainer {
    let output: JSONOutput
    let depth: Int
    let codingPath: [any CodingKey]
    private(set) var count = 0

    private mutating func next() {
        output.element(depth: depth)
        count += 1
    }

    mutating func encodeNil() {
        next()
        output.raw("null")
    }

    mutating func encode(_ value: some Encodable) throws {
        next()
        try output.write(value, depth: depth, path: codingPath)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        superEncoder().container(keyedBy: keyedBy)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder {
        next()
        return JSONValueEncoder(output: output, depth: depth, codingPath: codingPath)
    }
}

private struct JSONSingle: SingleValueEncodingContainer {
    let output: JSONOutput
    let depth: Int
    let codingPath: [any CodingKey]

    mutating func encodeNil() { output.raw("null") }
    mutating func encode(_ value: Bool) { output.write(value) }
    mutating func encode(_ value: String) { output.write(value) }
    mutating func encode(_ value: Double) throws { try output.write(value) }
    mutating func encode(_ value: Float) throws { try output.write(Double(value)) }
    mutating func encode(_ value: Int) { output.write(value) }
    mutating func encode(_ value: Int8) { output.write(value) }
    mutating func encode(_ value: Int16) { output.write(value) }
    mutating func encode(_ value: Int32) { output.write(value) }
    mutating func encode(_ value: Int64) { output.write(value) }
    mutating func encode(_ value: UInt) { output.write(value) }
    mutating func encode(_ value: UInt8) { output.write(value) }
    mutating func encode(_ value: UInt16) { output.write(value) }
    mutating func encode(_ value: UInt32) { output.write(value) }
    mutating func encode(_ value: UInt64) { output.write(value) }
    mutating func encode(_ value: some Encodable) throws { try output.write(value, depth: depth, path: codingPath) }
}
