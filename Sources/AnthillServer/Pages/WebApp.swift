import API
import Foundation
import HTTP

/// The files of the web app as browsers get them: the pages, and few files for each that are kept for ever.
struct WebApp {
    let files: StaticFiles
    /// The pages that scripts build, by name, such as `home`.
    private(set) var pages: [String: Page] = [:]
    /// The pages that need no script, by name, such as `help`.
    private(set) var written: [String: WrittenPage] = [:]
    /// The frame of pages that need no script.
    let frame: PageFrame

    /// The files of `css` in the order in which `styles.css` joins them: of two equal rules the later one wins.
    static let styles = [
        "tokens", "anthill", "frame", "timer", "sessions", "parts", "boards", "groups", "calendar", "tasks", "account",
        "alarm", "fairness", "admin",
    ]
    /// What scripts and the manifest load by its address.
    private static let loaded = ["art/sprite.svg", "js/device/after-worker.js"] + Manifest.icons.map(\.file)
    /// The module whose graph every page loads: the frame of a page.
    private static let shared = "js/shell/frame.js"
    /// The titles of the pages that need no script. The first page has that of the service.
    private static let written: [String: [Language: String]] = [
        "index": [:], "help": [.ko: "도움말", .en: "Help"],
    ]

    /// Reads the folder, and makes a page for each script in `pages`, and for the texts in `documents` that need none.
    init(folder: URL, documents: URL, numbers: RuleNumbers, site: String) throws {
        var files = try StaticFiles(folder: folder)
        files.add("styles.css", try Self.styles.map { try files.text(of: "css/\($0).css") }.joined(separator: "\n"))
        files.add("js/words/numbers.js", numbers.script)
        let addresses = try Self.loaded.map { "  \"\($0)\": \"\(try files.address(of: $0))\",\n" }
        files.add("js/parts/addresses.js", "export const addresses = {\n\(addresses.joined())};\n")

        let sources = files
        var linkers = Language.allCases.map { ScriptLinker(language: $0.rawValue, text: sources.text) }
        var shared: [Language: String] = [:]
        var common: Set<String> = []
        for (index, language) in Language.allCases.enumerated() {
            let modules = try linkers[index].graph(of: Self.shared)
            let name = "scripts/anthill-\(language.rawValue).js"
            files.add(name, try linkers[index].script(of: modules, isFirst: true))
            shared[language] = try files.address(of: name)
            common.formUnion(modules)
        }
        let shell = PageShell(
            icon: try files.address(of: "art/favicon.svg"), touchIcon: try files.address(of: "art/apple-touch-180.png"),
            styles: try files.address(of: "styles.css"), picture: site + (try files.address(of: "art/icon-512.png")))
        for source in sources.names where source.hasPrefix("pages/") && source.hasSuffix(".js") {
            let name = String(source.dropFirst("pages/".count).dropLast(".js".count))
            let texts = try linkers.indices.map { index in
                let own = try linkers[index].graph(of: source).filter { !common.contains($0) }
                return try linkers[index].script(of: own)
            }
            // Few pages have words that others lack. The scripts of the rest are the same in each language.
            let hasWords = Set(texts).count > 1
            var scripts: [Language: String] = [:]
            for (language, text) in zip(Language.allCases, texts) {
                let script = "scripts/\(name)\(hasWords ? "-\(language.rawValue)" : "").js"
                files.add(script, text)
                scripts[language] = try files.address(of: script)
            }
            pages[name] = Page(
                name, shell: shell, shared: shared, scripts: scripts,
                isForMembers: try linkers[0].isForMembers(source))
        }

        let frame = PageFrame(shell: shell, sprite: try files.address(of: "art/sprite.svg"))
        for (name, title) in Self.written {
            let source = try String(contentsOf: documents.appending(path: "\(name).html"), encoding: .utf8)
            written[name] = try WrittenPage(source, title: title, frame: frame) { text in
                let addressed = try text.replacing(#/\{\{(art\/[\w\/.-]+)\}\}/#) { try files.address(of: String($0.1)) }
                return try numbers.fill(addressed)
            }
        }
        self.files = files
        self.frame = frame
    }
}
