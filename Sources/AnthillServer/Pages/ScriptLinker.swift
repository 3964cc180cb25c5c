/// Joins modules into scripts, so that a browser loads few files at once instead of many one after another.
///
/// Each module becomes a function that runs once: what it imports is taken from the object `anthill`, and what it exports
/// is put there. Nothing else is changed but that lines of comments are left out.
struct ScriptLinker {
    private let language: String
    private let text: (String) throws -> String
    private var modules: [String: ScriptModule] = [:]
    private var functions: [String: String] = [:]

    /// `text` reads the module of a path. The words are those of `language`.
    init(language: String, text: @escaping (String) throws -> String) {
        self.language = language
        self.text = text
    }

    /// The paths of a module and of all that it imports, each after those that it imports itself.
    mutating func graph(of path: String) throws -> [String] {
        var found: [String] = []
        try visit(path, &found, from: [])
        return found
    }

    private mutating func visit(_ path: String, _ found: inout [String], from way: [String]) throws {
        if found.contains(path) { return }
        guard !way.contains(path) else {
            throw ScriptModule.Unreadable(description: "\(path) imports itself by \(way.joined(separator: ", "))")
        }
        for each in try module(path).imports { try visit(each.path, &found, from: way + [path]) }
        found.append(path)
    }

    /// A script with these modules, in this order. The first of a page also makes the object that holds them.
    mutating func script(of paths: [String], isFirst: Bool = false) throws -> String {
        let joined = try paths.map { try function($0) }
        return (["\"use strict\";"] + (isFirst ? ["const anthill = {};"] : []) + joined).joined(separator: "\n")
    }

    /// Whether a page's script builds its page with `memberPage`.
    mutating func isForMembers(_ path: String) throws -> Bool {
        try module(path).imports.contains { $0.members.split(separator: ", ").contains("memberPage") }
    }

    private mutating func module(_ path: String) throws -> ScriptModule {
        let found = try modules[path] ?? ScriptModule(path, text(path), language: language)
        modules[path] = found
        return found
    }

    private mutating func function(_ path: String) throws -> String {
        let found = try functions[path] ?? wrapped(module(path))
        functions[path] = found
        return found
    }

    /// A page's own script may wait at its top, as modules may; nobody imports it.
    private func wrapped(_ module: ScriptModule) -> String {
        let imports = module.imports.filter { !$0.members.isEmpty }.map {
            "const { \($0.members) } = \(ScriptModule.value($0.path));"
        }
        let isPage = module.path.hasPrefix("pages/")
        return """
            // \(module.path)
            \(isPage ? "" : "\(ScriptModule.value(module.path)) = ")(\(isPage ? "async " : "")() => {
            \((imports + [module.body]).joined(separator: "\n"))\
            \(isPage ? "" : "return { \(module.exports.joined(separator: ", ")) };\n")\
            })();

            """
    }
}
