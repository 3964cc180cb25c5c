import API
import HTTP

/// What a device is called in its owner's list.
enum DeviceName {
    /// The name that the client gives it, or else what its browser calls itself, in plain words.
    static func of(_ fields: Fields, _ request: Request) throws -> String? {
        guard let name = try fields.optionalString("device") else { return of(request) }
        guard let line = PlainText.line(name, atMost: 100) else { throw Refusal.accounts.invalidDevice }
        return line
    }

    static func of(_ request: Request) -> String? {
        request.headers["User-Agent"].flatMap(plain)
    }

    /// "Chrome · Android", which people read in any language. Of a program that is no browser the name alone: "curl".
    static func plain(_ userAgent: String) -> String? {
        func known(_ names: KeyValuePairs<String, String>) -> String? {
            names.first { userAgent.contains($0.key) }?.value
        }
        let system = known(systems)
        guard let browser = known(browsers) else {
            let product = userAgent.prefix { $0 != "/" && $0 != " " }
            return product == "Mozilla" ? system : PlainText.line(String(product), atMost: 40)
        }
        return [browser, system].compactMap(\.self).joined(separator: " · ")
    }

    /// What a browser writes and how people call it. Most pretend to be Chrome or Safari as well, which come last.
    private static let browsers: KeyValuePairs = [
        "KAKAOTALK": "KakaoTalk", "NAVER(": "NAVER", "Whale/": "Whale", "SamsungBrowser/": "Samsung Internet",
        "EdgA/": "Edge", "EdgiOS/": "Edge", "Edg/": "Edge", "OPR/": "Opera", "FxiOS/": "Firefox", "Firefox/": "Firefox",
        "CriOS/": "Chrome", "Chrome/": "Chrome", "Safari/": "Safari",
    ]

    /// In this order, since Android calls itself a Linux, too.
    private static let systems: KeyValuePairs = [
        "iPhone": "iPhone", "iPad": "iPad", "Android": "Android", "Windows": "Windows", "CrOS": "ChromeOS",
        "Macintosh": "Mac", "Linux": "Linux",
    ]
}
