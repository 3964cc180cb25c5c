import HTTP
import Postgres

/// A page that needs no script: its document has all that it shows.
struct WrittenPage: Sendable {
    /// Who looks at it.
    enum Reader: Sendable {
        case stranger
        /// Somebody signed in, with the group whose board they opened last.
        case member(group: ID?)
    }

    let frame: PageFrame
    /// Empty for a page that has the name of the service and what it is.
    let title: [Language: String]
    let content: [Language: Markup]

    func document(_ look: Look, for reader: Reader) -> Response {
        frame.document(look, title: title[look.language] ?? "", for: reader, content: content[look.language] ?? "")
    }
}

extension WrittenPage {
    /// A source is HTML in both languages: a line that begins with `ko:` or `en:` is only in that one. `fill` puts the
    /// numbers of the rules and the addresses of files where `{{…}}` asks for them.
    init(_ source: String, title: [Language: String], frame: PageFrame, fill: (String) throws -> String) rethrows {
        let text = try fill(source)
        let content = Language.allCases.map { ($0, Markup(html: Self.part(of: text, in: $0))) }
        self.init(frame: frame, title: title, content: Dictionary(uniqueKeysWithValues: content))
    }

    private static func part(of source: String, in language: Language) -> String {
        let marks = Language.allCases.map { ($0, "\($0.rawValue): ") }
        return source.split(separator: "\n").compactMap { line -> Substring? in
            guard let (own, mark) = marks.first(where: { line.hasPrefix($0.1) }) else { return line }
            return own == language ? line.dropFirst(mark.count) : nil
        }.joined(separator: "\n")
    }
}
