import HTTP

/// A page of the web app that a script builds. Its document is the same for everybody, but for the language, the theme, and
/// the answers that its script asks for first.
struct Page: Sendable {
    let shell: PageShell
    /// The address of what all pages share, in each language.
    let shared: [Language: String]
    /// The address of its own script, in each language.
    let scripts: [Language: String]
    /// The paths below `/api/v1` that its script asks first when somebody is signed in. `{id}` is the one in the page's
    /// path, `{shown}` the group that home shows, `{today}` the study day, `{month}` the month of the group's board,
    /// and `{earlier}` the month before today's, if the week began in it.
    let asks: [String]

    init(_ name: String, shell: PageShell, shared: [Language: String], scripts: [Language: String], isForMembers: Bool)
    {
        (self.shell, self.shared, self.scripts) = (shell, shared, scripts)
        asks = isForMembers ? Self.askedByAll + (Self.asked[name] ?? []) : []
    }

    private static let askedByAll = ["/me", "/me/timer", "/me/today", "/me/alarm"]
    /// A group's board, as its page first shows it. It tells `{month}`.
    static let board = "/groups/{id}/leaderboard?period=month&order=seconds&limit=20"
    private static let asked = [
        "home": [
            "/groups", "/groups/{shown}/leaderboard?period=month", "/groups/{shown}/today?limit=8", "/me/sessions",
            "/me/tasks?done=false&limit=3", "/me/sessions/unconfirmed", "/me/days", "/me/days?month={earlier}",
            "/me/days/{today}/strip",
        ],
        "group": [
            "/groups/{id}", board, "/groups/{id}/today?limit=200", "/groups/{id}/join-requests",
            "/groups/{id}/days?month={month}",
        ],
        "groups": ["/groups?limit=200", "/me/join-requests", "/registration"],
    ]

    /// The document. The answers are JSON, by their paths. With a title it says what chats and other sites show of it.
    func document(_ look: Look, answers: [String: [UInt8]], title: String? = nil) -> Response {
        let known = answers.sorted { $0.key < $1.key }.map { path, json in
            "\"\(path)\":\(String(decoding: json, as: UTF8.self).replacing("<", with: "\\u003c"))"
        }
        return shell.document(
            look, title: title,
            head: """
                \(title.map { shell.preview($0, look.language) } ?? "")
                <script defer src="\(shared[look.language] ?? "")"></script>
                <script defer src="\(scripts[look.language] ?? "")"></script>
                """,
            body: """
                <noscript><main class="wrap">\(Self.needsJavaScript[look.language] ?? "")</main></noscript>
                <script type="application/json" id="first">{\(Markup(html: known.joined(separator: ",")))}</script>
                """)
    }

    private static let needsJavaScript: [Language: Markup] = [
        .ko: """
        <p>이 페이지에는 자바스크립트가 필요해요. <a href="/">공부 개미 소개</a>와 <a href="/help">도움말</a>은 없이도 볼 수 있어요.</p>
        """,
        .en: """
        <p>This page needs JavaScript. <a href="/">What Anthill is</a> and the <a href="/help">help</a> work without.</p>
        """,
    ]
}
