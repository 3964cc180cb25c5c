import API
import HTTP

/// A group's board of the month as a small page that other websites show in a frame: it needs no script.
struct BoardPage {
    let shell: PageShell
    let board: BoardAnswer
    let look: Look

    var document: Response {
        let (language, group) = (look.language, board.group)
        let month = Localized.month(board.month)[language]
        var response = shell.document(
            look, title: "\(group.name) · \(month)", head: "<meta name=\"robots\" content=\"noindex\">",
            body: """
                <main class="wrap">
                <h1><bdi>\(group.name)</bdi></h1>
                <p class="small muted">\(Words.month(month)[language]) · \(Words.people(board.participants)[language])</p>
                \(hasBegun ? table : "<p>\(Words.fresh(month)[language])</p>")
                <p class="small muted"><a href="/" target="_blank" rel="noopener">\(Localized.anthill[language])</a></p>
                </main>
                """)
        response.headers.set("Cache-Control", "public, max-age=60")
        response.headers.add("Vary", "Accept-Language, Cookie")
        response.headers.set("X-Robots-Tag", "noindex")
        response.headers.set(
            "Content-Security-Policy",
            "default-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors *")
        response.headers.set("Cross-Origin-Resource-Policy", "cross-origin")
        return response
    }

    /// Whether anybody has studied this month; before that all members share rank 1.
    private var hasBegun: Bool { board.entries.contains { $0.seconds ?? 0 > 0 } }

    private var table: Markup {
        """
        <table class="parts framed">
        <caption class="vh">\(Words.caption[look.language])</caption>
        <thead class="vh"><tr><th scope="col">\(Words.rank[look.language])</th>\
        <th scope="col">\(Words.name[look.language])</th><th scope="col">\(Words.time[look.language])</th></tr></thead>
        <tbody>
        \(board.entries.map(row))
        </tbody>
        </table>
        """
    }

    private func row(_ entry: BoardAnswer.Entry) -> Markup {
        let language = look.language
        let name: Markup =
            entry.nickname.map { "<bdi>\($0)</bdi>" } ?? "<span class=\"muted\">\(Localized.someone[language])</span>"
        let time: Markup =
            entry.seconds.map { seconds in
                """
                <span aria-hidden="true">\(hoursAndMinutes(seconds))</span>\
                <span class="vh">\(Localized.duration(seconds)[language])</span>
                """
            } ?? "<span aria-hidden=\"true\">–</span><span class=\"vh\">\(Words.untold[language])</span>"
        return
            "<tr><td class=\"num\">\(entry.rank)</td><th scope=\"row\">\(name)</th><td class=\"num\">\(time)</td></tr>\n"
    }

    private enum Words {
        static func month(_ name: String) -> Localized { Localized(ko: "\(name) 순위", en: "Board of \(name)") }
        static func people(_ count: Int) -> Localized {
            Localized(ko: "\(count)명", en: count == 1 ? "1 member" : "\(count) members")
        }
        static func fresh(_ name: String) -> Localized {
            Localized(ko: "\(name)에는 아직 기록이 없어요", en: "\(name): no study yet")
        }
        static let caption = Localized(ko: "이번 달 순위", en: "Board of this month")
        static let rank = Localized(ko: "순위", en: "Rank")
        static let name = Localized(ko: "이름", en: "Member")
        static let time = Localized(ko: "시간", en: "Time")
        static let untold = Localized(ko: "비공개", en: "not shown")
    }
}
