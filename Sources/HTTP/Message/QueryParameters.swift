/// The decoded parameters of a target's query.
package struct QueryParameters: Sendable {
    private var parameters: [String: String] = [:]
    /// Whether a name stood there twice; the router answers that with `400 invalid_query`.
    package private(set) var repeatsName = false

    package init() {}

    package subscript(_ name: String) -> String? { parameters[name] }

    /// About how much memory it takes.
    var size: Int { parameters.reduce(0) { $0 + 128 + $1.key.utf8.count + $1.value.utf8.count } }

    package var isEmpty: Bool { parameters.isEmpty }

    mutating func add(_ name: String, _ value: String) {
        if parameters.updateValue(value, forKey: name) != nil { repeatsName = true }
    }
}
