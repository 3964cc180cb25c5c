import API
import HTTP

/// The frame of pages that need no script, as `js/shell/frame.js` makes that of the others: the header, the navigation of
/// members, and the footer.
struct PageFrame: Sendable {
    let shell: PageShell
    /// The address of the pictures.
    let sprite: String

    /// A page with this content. Without a title it is the first one.
    func document(
        _ look: Look, title: String, head: Markup = "", for reader: WrittenPage.Reader, content: Markup
    ) -> Response {
        let language = look.language
        let name = Localized.anthill[language]
        let whole = title.isEmpty ? Self.nameInFull[language] : "\(title) · \(name)"
        return shell.document(
            look, title: whole, head: "\(shell.preview(whole, language))\n\(head)",
            body: """
                <a class="skip" href="#main">\(Self.skip[language])</a>
                <header class="top"><div class="wrap">
                <a class="brand" href="\(reader.isMember ? "/home" : "/")">\(art("mark"))<span>\(name)</span></a>
                \(navigation(reader, language))
                <div class="end">\(doors(reader, language))</div>
                </div></header>
                <main class="wrap" id="main" tabindex="-1">
                \(content)
                </main>
                <footer class="foot"><div class="wrap"><div class="in">
                <a href="/help">\(Self.help[language])</a>
                <a href="/api/v1/openapi.yaml">API</a>
                \(languageSwitch(language, "", art("i-globe", "i-s")))
                </div></div></footer>
                """)
    }

    func art(_ name: String, _ kind: String = "") -> Markup {
        "<svg class=\"\(kind)\" aria-hidden=\"true\"><use href=\"\(sprite)#\(name)\"/></svg>"
    }

    private func navigation(_ reader: WrittenPage.Reader, _ language: Language) -> Markup {
        guard case .member(let group) = reader else { return "" }
        let board = group.map { "/groups/\($0)" } ?? "/groups"
        let links = [
            ("home", "/home"), ("board", board), ("calendar", "/calendar"), ("tasks", "/tasks"), ("me", "/settings"),
        ].map { name, path -> Markup in
            "<li><a href=\"\(path)\">\(art("i-\(name)", "i"))\(Self.places[name]?[language] ?? "")</a></li>"
        }
        return "<nav class=\"nav\" aria-label=\"\(Self.menu[language])\"><ul>\(links)</ul></nav>"
    }

    private func doors(_ reader: WrittenPage.Reader, _ language: Language) -> Markup {
        if reader.isMember { return "" }
        return """
            \(languageSwitch(language, "btn text small", ""))
            <a class="btn quiet small" href="/sign-in">\(Self.signIn[language])</a>
            """
    }

    /// A link to the same page in the other language.
    private func languageSwitch(_ language: Language, _ kind: String, _ picture: Markup) -> Markup {
        let (other, name) = language == .ko ? ("en", "English") : ("ko", "한국어")
        return """
            <a class="\(kind)" lang="\(other)" hreflang="\(other)" href="?language=\(other)">\(picture)\(name)</a>
            """
    }

    private static let nameInFull = Localized(
        ko: "공부 개미: 함께 공부하는 사람들의 순위표", en: "Anthill: a board for people who study together")
    private static let skip = Localized(ko: "본문으로 건너뛰기", en: "Skip to content")
    private static let help = Localized(ko: "도움말", en: "Help")
    private static let signIn = Localized(ko: "로그인", en: "Sign in")
    private static let menu = Localized(ko: "주 메뉴", en: "Main")
    private static let places = [
        "home": Localized(ko: "홈", en: "Home"), "board": Localized(ko: "순위", en: "Board"),
        "calendar": Localized(ko: "달력", en: "Calendar"), "tasks": Localized(ko: "할 일", en: "Tasks"),
        "me": Localized(ko: "나", en: "Me"),
    ]
}

extension WrittenPage.Reader {
    var isMember: Bool { if case .member = self { true } else { false } }
}
