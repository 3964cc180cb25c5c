/// The decoded parameters of a target's query.
package struct QueryParameters: Sendable {
    private var parameters: [String: String] = [:]
    /// Whether a name stood there twice; the router answers that with `400 invalid_query`.
    package private(set) var repeatsName = false

    package init() {}

    package subscript(_ name: String) -> String? { parameters[name] }

    package var isEmpty: Bool { parameters.isEmpty }

    mutating func add(_ name: String, _ value: String) {
        if parameters.updateValue(value, forKey: name) != nil { repeatsName = true }
    }
}
