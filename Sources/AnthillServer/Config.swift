import Foundation

/// What the environment tells the program. The README lists the same variables for the people who set them.
struct Config {
    let databaseURL: String
    let listen: Listen
    /// Where people reach the service; links in mails begin with it. No slash at the end.
    let baseURL: URL
    let mail: MailDelivery
    /// The sender of every mail, as written in a header: `Anthill <anthill@example.org>`.
    let mailFrom: String
    /// The keys of all tokens are derived from it; changing it ends every sign-in.
    let secret: String
    /// Peers whose `X-Forwarded-For` is believed.
    let trustedProxies: [String]

    struct Listen: Equatable {
        let host: String
        let port: UInt16
    }

    enum MailDelivery: Equatable {
        case smtp(String)
        case folder(URL)
    }

    /// A variable that is missing or cannot be used, and why.
    struct Refusal: Error, CustomStringConvertible {
        let variable: String
        let reason: String
        var description: String { "\(variable) \(reason)" }
    }

    /// Every variable the program reads, with what `anthill --help` says of it.
    static let variables: [(name: String, meaning: String)] = [
        ("DATABASE_URL", "PostgreSQL, e.g. postgresql://anthill@db/anthill; required"),
        ("ANTHILL_SECRET", "at least 32 characters, kept for good; required by serve"),
        ("ANTHILL_LISTEN", "address and port to listen on (127.0.0.1:8080)"),
        ("ANTHILL_BASE_URL", "where people reach it (http://localhost and the port)"),
        ("ANTHILL_SMTP_URL", "smtp://user:password@host:587 or smtps://…:465; without it mail goes to files"),
        ("ANTHILL_MAIL_FROM", "sender of the mail (Anthill <anthill@localhost>); required with ANTHILL_SMTP_URL"),
        ("ANTHILL_HOME", "data folder of the scripts; mail files go to its folder mail (.anthill)"),
        ("ANTHILL_TRUSTED_PROXIES", "addresses whose X-Forwarded-For is believed, with commas between (none)"),
    ]

    /// Reads `environment`, refusing what it cannot use by the variable's name.
    init(environment: [String: String]) throws(Refusal) {
        let known = Set(Config.variables.map(\.name))
        for name in environment.keys.sorted()
        where name.hasPrefix("ANTHILL_") && !name.hasPrefix("ANTHILL_TEST_") && !known.contains(name) {
            throw Refusal(variable: name, reason: "is not a variable of Anthill; see anthill --help")
        }
        let value = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }

        databaseURL = try Config.databaseURL(value("DATABASE_URL"))
        listen = try Listen(value("ANTHILL_LISTEN") ?? "127.0.0.1:8080")
        baseURL = try Config.baseURL(value("ANTHILL_BASE_URL") ?? "http://localhost:\(listen.port)")
        secret = value("ANTHILL_SECRET") ?? ""
        guard secret.utf8.count >= 32 else {
            throw Refusal(
                variable: "ANTHILL_SECRET",
                reason: secret.isEmpty ? "is missing" : "is shorter than 32 characters")
        }
        if let url = value("ANTHILL_SMTP_URL") {
            mail = .smtp(try Config.smtpURL(url))
            guard let from = value("ANTHILL_MAIL_FROM") else {
                throw Refusal(variable: "ANTHILL_MAIL_FROM", reason: "is missing; ANTHILL_SMTP_URL needs a sender")
            }
            mailFrom = from
        } else {
            let home = URL(filePath: value("ANTHILL_HOME") ?? ".anthill", directoryHint: .isDirectory)
            mail = .folder(home.appending(path: "mail", directoryHint: .isDirectory))
            mailFrom = value("ANTHILL_MAIL_FROM") ?? "Anthill <anthill@localhost>"
        }
        guard mailFrom.wholeMatch(of: /([^<>@"\p{Cc}]+ )?<?[^\s<>@"]+@[^\s<>@"]+>?/) != nil else {
            throw Refusal(variable: "ANTHILL_MAIL_FROM", reason: "is no sender such as Anthill <anthill@example.org>")
        }
        trustedProxies = (value("ANTHILL_TRUSTED_PROXIES") ?? "")
            .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The address of the database alone, which is all that `anthill migrate` needs.
    static func databaseURL(_ text: String?) throws(Refusal) -> String {
        guard let text, !text.isEmpty else { throw Refusal(variable: "DATABASE_URL", reason: "is missing") }
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            throw Refusal(variable: "DATABASE_URL", reason: "must begin with postgresql://")
        }
        return text
    }

    private static func baseURL(_ text: String) throws(Refusal) -> URL {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: trimmed), let scheme = url.scheme, ["http", "https"].contains(scheme),
            url.host()?.isEmpty == false, url.path().isEmpty, url.query() == nil, url.fragment() == nil
        else {
            throw Refusal(variable: "ANTHILL_BASE_URL", reason: "must be http(s)://host or http(s)://host:port")
        }
        return url
    }

    private static func smtpURL(_ text: String) throws(Refusal) -> String {
        guard let url = URL(string: text), let scheme = url.scheme, ["smtp", "smtps"].contains(scheme),
            url.host()?.isEmpty == false
        else {
            throw Refusal(variable: "ANTHILL_SMTP_URL", reason: "must be smtp://… or smtps://… with a host")
        }
        return text
    }
}

extension Config.Listen {
    /// `address:port`, an IPv6 address in brackets; port 0 lets the system choose.
    init(_ text: String) throws(Config.Refusal) {
        guard let match = text.wholeMatch(of: /(?:\[([0-9a-fA-F:]+)\]|([0-9.]+)|localhost):([0-9]{1,5})/),
            let port = UInt16(match.3)
        else {
            throw Config.Refusal(
                variable: "ANTHILL_LISTEN", reason: "must be address:port, such as 127.0.0.1:8080 or [::]:8080")
        }
        self.init(host: String(match.1 ?? match.2 ?? "127.0.0.1"), port: port)
    }
}
