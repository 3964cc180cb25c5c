import API
import Accounts
import HTTP

/// What browsers need to install the app on a device.
enum Manifest {
    /// The pictures that stand for it.
    static let icons = [
        (file: "art/icon-192.png", size: 192, purpose: "any"),
        (file: "art/icon-512.png", size: 512, purpose: "any"),
        (file: "art/icon-maskable-512.png", size: 512, purpose: "maskable"),
    ]

    /// The colours of the paper in both themes, as in `css/tokens.css`.
    private static let paper = (light: "#faf5e9", dark: "#15120d")

    /// What is in the head of each document.
    static func links(theme: Theme) -> String {
        let colours = theme == .system ? [("light", paper.light), ("dark", paper.dark)] : []
        let metas = colours.map { scheme, colour in
            "<meta name=\"theme-color\" content=\"\(colour)\" media=\"(prefers-color-scheme: \(scheme))\">"
        }
        let own = "<meta name=\"theme-color\" content=\"\(theme == .dark ? paper.dark : paper.light)\">"
        // With cookies, because one of them has the language.
        let link = "<link rel=\"manifest\" href=\"/manifest.webmanifest\" crossorigin=\"use-credentials\">"
        return ((metas.isEmpty ? [own] : metas) + [link]).joined(separator: "\n")
    }

    /// The manifest as JSON; `files` have the pictures.
    static func text(_ language: Language, _ files: inout StaticFiles) throws -> String {
        let pictures = try icons.map { icon in
            """
            {"src": "\(try files.address(of: icon.file))", "sizes": "\(icon.size)x\(icon.size)", "type": "image/png", \
            "purpose": "\(icon.purpose)"}
            """
        }
        return """
            {
              "id": "/home",
              "name": "\(Localized.anthill[language])",
              "short_name": "\(Localized.anthill[language])",
              "description": "\(PageShell.description[language])",
              "lang": "\(language.rawValue)",
              "start_url": "/home",
              "scope": "/",
              "display": "standalone",
              "background_color": "\(paper.light)",
              "theme_color": "\(paper.light)",
              "icons": [\(pictures.joined(separator: ", "))]
            }

            """
    }
}
