/// A module of the web app as its lines say: what it imports, what it exports, and the rest.
struct ScriptModule {
    /// The members as JavaScript takes them out of an object: `a, b: c`.
    struct Import {
        let members: String
        let path: String
    }

    /// Why a module cannot be joined with others.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    let path: String
    private(set) var imports: [Import] = []
    /// The members of the object that a script puts them in.
    private(set) var exports: [String] = []
    /// All other lines.
    private(set) var body = ""

    /// Reads the forms of import and export that the web app has, and refuses others. `language` is that of the words.
    init(_ path: String, _ text: String, language: String) throws {
        self.path = path
        var (statement, body, isComment) = ("", [Substring](), false)
        // Bytes are compared, because every start of the server reads all modules: characters take ten times as long.
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Substring.init)
        {
            if isComment || line.isComment {
                // It would be an eighth of what a browser loads.
                let begins = !isComment && line.drop { $0 == " " }.hasPrefix("/*")
                isComment = (isComment || begins) && !line.hasSuffix("*/")
            } else if !statement.isEmpty || line.hasPrefix("import {") || line.hasPrefix("export {") {
                statement += line
                guard line.hasSuffix(";") else { continue }
                try take(statement)
                statement = ""
            } else if line.hasPrefix("export ") {
                body.append(try exported(line.dropFirst("export ".count), language))
            } else if line.hasPrefix("import ") {
                throw unreadable(line)
            } else {
                body.append(line)
            }
        }
        self.body = body.joined(separator: "\n")
    }

    /// `import { a, b as c } from "./d.js";`, or the same with `export`.
    private mutating func take(_ statement: String) throws {
        let quoted = statement.split(separator: "\"")
        guard
            let open = statement.firstIndex(of: "{"), let close = statement.firstIndex(of: "}"), quoted.count == 3,
            !(statement.hasPrefix("export") && statement.contains(" as "))
        else { throw unreadable(statement) }
        let names = statement[statement.index(after: open)..<close].split(separator: ",").map { name in
            name.split(separator: " ")
        }
        let path = resolved(String(quoted[1]))
        if statement.hasPrefix("export") {
            // It is passed on without a name of its own here.
            imports.append(Import(members: "", path: path))
            exports += names.map(\.[0]).map { "\($0): \(Self.value(path)).\($0)" }
        } else {
            let members = names.map { $0.count == 3 ? "\($0[0]): \($0[2])" : $0.joined() }.joined(separator: ", ")
            imports.append(Import(members: members, path: path))
        }
    }

    /// A declaration without its `export`. Words are imported at run time from the language's module; here it is known.
    private mutating func exported(_ declaration: Substring, _ language: String) throws -> Substring {
        let words = declaration.split { " (=".contains($0) }
        let kinds: Set<Substring> = ["const", "function", "class"]
        guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count, words[kind + 1] != "{" else {
            throw unreadable(declaration)
        }
        exports.append(String(words[kind + 1]))
        let call = "await import(`./${language}.js`)"
        guard declaration.contains(call) else { return declaration }
        let module = resolved("./\(language).js")
        imports.append(Import(members: "", path: module))
        return declaration.replacing(call, with: ScriptModule.value(module))
    }

    private func unreadable(_ line: some StringProtocol) -> Unreadable {
        Unreadable(description: "\(path): this form of import or export is not known: \(line)")
    }

    /// The path of a module that this one names as `./x.js` or `../x/y.js`.
    private func resolved(_ name: String) -> String {
        var folders = path.split(separator: "/").dropLast()
        for part in name.split(separator: "/") {
            if part == ".." { folders.removeLast() } else if part != "." { folders.append(part) }
        }
        return folders.joined(separator: "/")
    }

    /// What this module exports, in a script.
    static func value(_ path: String) -> String { "anthill[\"\(path)\"]" }
}

extension Substring {
    /// Whether it holds a comment and nothing before it.
    fileprivate var isComment: Bool {
        let start = utf8.drop { $0 == UInt8(ascii: " ") }.prefix(2)
        return start.elementsEqual("//".utf8) || start.elementsEqual("/*".utf8)
    }
}
