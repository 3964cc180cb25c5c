/// The decoded parameters of a target's query.
package struct QueryParameters: Sendable {
    private var parameters: [String: String] = [:]
    /// A name that stands there twice, so that nobody can know which value is meant.
    private var repeated: String?
    /// The names that the route reads; nil when it reads none and ignores whatever is there.
    private var known: Set<String>?

    package init() {}

    /// The value of a parameter that the route has declared.
    package subscript(_ name: String) -> String? {
        assert(known?.contains(name) != false, "a handler reads ?\(name)= and its route does not declare it")
        return parameters[name]
    }

    package var isEmpty: Bool { parameters.isEmpty }

    /// All of it, the same in whatever order it was written.
    package var canonical: String {
        parameters.sorted { $0.key < $1.key }.map { "\($0.key)\0\($0.value)\0" }.joined()
    }

    /// About how much memory it takes.
    var size: Int { parameters.reduce(0) { $0 + 128 + $1.key.utf8.count + $1.value.utf8.count } }

    mutating func add(_ name: String, _ value: String) {
        if parameters.updateValue(value, forKey: name) != nil { repeated = name }
    }

    /// Allows these names alone. Throws `400 invalid_query` for a name that stands there twice, and
    /// `400 unknown_parameter` for any other, so that a typo is never silently dropped.
    mutating func allow(_ names: Set<String>) throws(Problem) {
        known = names
        if parameters.isEmpty { return }
        if let repeated { throw .repeatedParameter(repeated) }
        let unknown = parameters.keys.filter { !names.contains($0) }
        if let first = unknown.min() { throw .unknownParameter(first) }
    }
}
