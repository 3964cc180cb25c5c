/// The routes as a tree of path segments; a literal segment is tried before a parameter.
struct RouteTable: Sendable {
    private struct Entry: Sendable {
        let route: Route
        /// The place of its name in `names`.
        let number: Int
        let parameters: [String]
    }

    /// Changed only while the table is made.
    private final class Node: @unchecked Sendable {
        var literals: [String: Node] = [:]
        /// The node under `{…}`.
        var parameter: Node?
        var entries: [Method: Entry] = [:]
    }

    /// What is found for a method and a path.
    enum Match {
        case route(Route, number: Int, parameters: [String: String])
        /// The path is known, but not with this method.
        case otherMethods(Set<Method>)
        case nothing
    }

    private let root = Node()
    /// Patterns without parameters, found in one step.
    private var exact: [String: [Method: Entry]] = [:]
    private(set) var methods: Set<Method> = []
    /// What requests are counted under; the first is for those without a route.
    private(set) var names = [RouteName(method: "-", route: "-")]

    init(_ routes: [Route]) {
        var numbers: [RouteName: Int] = [:]
        for route in routes {
            let number = numbers[route.name] ?? names.count
            if number == names.count { names.append(route.name) }
            numbers[route.name] = number
            insert(route, number: number)
        }
    }

    private mutating func insert(_ route: Route, number: Int) {
        let segments = route.pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map(String.init)
        let entry = Entry(route: route, number: number, parameters: segments.compactMap(Self.name))
        var node = root
        for segment in segments {
            if Self.name(segment) == nil {
                node.literals[segment] = node.literals[segment] ?? Node()
                node = node.literals[segment]!
            } else {
                node.parameter = node.parameter ?? Node()
                node = node.parameter!
            }
        }
        precondition(node.entries[route.method] == nil, "two routes for \(route.pattern)")
        node.entries[route.method] = entry
        if entry.parameters.isEmpty { exact[route.pattern, default: [:]][route.method] = entry }
        methods.insert(route.method)
    }

    private static func name(_ segment: String) -> String? {
        segment.first == "{" && segment.last == "}" ? String(segment.dropFirst().dropLast()) : nil
    }

    func match(_ method: Method, _ target: Target) -> Match {
        if target.isPlain, let entry = exact[target.path]?[method] {
            return .route(entry.route, number: entry.number, parameters: [:])
        }
        var values: [String] = []
        var others: Set<Method> = []
        if let entry = find(method, target.segments[...], under: root, &values, &others) {
            let parameters = Dictionary(zip(entry.parameters, values), uniquingKeysWith: { $1 })
            return .route(entry.route, number: entry.number, parameters: parameters)
        }
        return others.isEmpty ? .nothing : .otherMethods(others)
    }

    private func find(
        _ method: Method, _ segments: ArraySlice<String>, under node: Node, _ values: inout [String],
        _ others: inout Set<Method>
    ) -> Entry? {
        guard let segment = segments.first else {
            if let entry = node.entries[method] { return entry }
            others.formUnion(node.entries.keys)
            return nil
        }
        if let next = node.literals[segment],
            let entry = find(method, segments.dropFirst(), under: next, &values, &others)
        {
            return entry
        }
        // A literal path is never a value of the parameter beside it, even where it lacks the method.
        guard others.isEmpty, let next = node.parameter, !segment.isEmpty else { return nil }
        values.append(segment)
        if let entry = find(method, segments.dropFirst(), under: next, &values, &others) { return entry }
        values.removeLast()
        return nil
    }
}
