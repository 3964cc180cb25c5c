/// The HTML document of every page of the web app; only the script in it differs.
enum PageShell {
    /// The files of `css` in the order in which `styles.css` joins them: of two equal rules the later one wins.
    static let styles = [
        "tokens", "anthill", "frame", "timer", "sessions", "parts", "boards", "groups", "calendar", "tasks", "account",
        "alarm", "fairness",
    ]

    /// The documents of all pages by their file names: `pages/home.js` is the script of `home.html`.
    static func documents(of scripts: [String]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: scripts.filter { $0.hasSuffix(".js") }.map { script in
                ("\(script.dropLast(".js".count)).html", document(script: "/pages/\(script)"))
            })
    }

    private static func document(script: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
        <title>Anthill</title>
        <meta name="description" content="A timer and a board for people who study together.">
        <link rel="icon" href="/art/favicon.svg" type="image/svg+xml">
        <link rel="apple-touch-icon" href="/art/apple-touch-180.png">
        <script src="/early.js"></script>
        <link rel="stylesheet" href="/styles.css">
        <script type="module" src="\(script)"></script>
        </head>
        <body>
        <noscript><p class="wrap">Anthill needs JavaScript. \
        <span lang="ko">공부 개미를 쓰려면 자바스크립트가 필요해요.</span></p></noscript>
        </body>
        </html>

        """
    }
}
