import API
import Accounts
import Foundation
import HTTP
import Mail
import Outgoing

/// The environment variables of the program. The README lists them for operators.
struct Config {
    let databaseURL: String
    /// Standbys that are asked for what may be a few seconds old.
    let replicaURL: String?
    let listen: Listen
    /// Where monitoring reads the metrics; nil when it may not.
    let metricsListen: Listen?
    /// The address that people open; links in mails begin with it. No slash at the end.
    let baseURL: URL
    let mail: MailDelivery
    /// Who may register.
    let registration: RegistrationMode
    /// The sender of every mail.
    let mailFrom: Mailbox
    /// All token keys derive from it, so a change ends every sign-in.
    let secret: String
    /// Proxies whose `X-Forwarded-For` counts.
    let trustedProxies: [AddressRange]
    /// Through whom people may sign in.
    let providers: [Provider]
    /// How many requests one sign-in or address may make in ten seconds; nil for no limit.
    let apiLimit: Int?

    struct Listen: Equatable {
        let host: String
        let port: UInt16
    }

    enum MailDelivery {
        case smtp(SMTPServer)
        case folder(URL)
        case none
    }

    /// A variable that is missing or cannot be used, and why.
    struct Refusal: Error, CustomStringConvertible {
        let variable: String
        let reason: String
        var description: String { "\(variable) \(reason)" }
    }

    /// Every variable that the program reads, with its text in `anthill --help`.
    static let variables: [(name: String, meaning: String)] = [
        ("DATABASE_URL", "PostgreSQL, e.g. postgresql://anthill_service@db/anthill; required"),
        ("DATABASE_OWNER_URL", "the same database as its owner, for migrate and demo (DATABASE_URL)"),
        (
            "ANTHILL_REPLICA_URL",
            "standbys of it, for what may be a few seconds old; postgresql://…@db2,db3/anthill (none)"
        ),
        ("DATABASE_ADMIN_URL", "the same database as anthill_admin, for anthill admin (DATABASE_URL)"),
        ("ANTHILL_SECRET", "at least 32 characters; a change ends every sign-in, and more; required by serve"),
        ("ANTHILL_LISTEN", "address and port to listen on (127.0.0.1:8080)"),
        ("ANTHILL_BASE_URL", "the address that people open (http://localhost and the port)"),
        ("ANTHILL_REGISTRATION", "who may register: open, invitation or closed (open)"),
        ("ANTHILL_SMTP_URL", "smtp://user:password@host:587 or smtps://…:465; none for no mail (mails are files)"),
        ("ANTHILL_MAIL_FROM", "the sender of mails (Anthill <anthill@localhost>); required with ANTHILL_SMTP_URL"),
        ("ANTHILL_HOME", "the scripts' data folder, with mails in its folder mail (.anthill)"),
        ("ANTHILL_TRUSTED_PROXIES", "proxies whose X-Forwarded-For counts, separated by commas (none)"),
        ("ANTHILL_OIDC_<NAME>_…", "sign-in through an OpenID Connect provider; docs/operate.md (none)"),
        ("ANTHILL_METRICS_LISTEN", "address and port where Prometheus reads /metrics (none)"),
        ("ANTHILL_API_LIMIT", "requests in 10 s from one sign-in or address; 0 for no limit (300)"),
    ]

    /// Whether people get mail, if only in a folder.
    var sendsMail: Bool { if case .none = mail { false } else { true } }
    var isSecure: Bool { baseURL.scheme == "https" }
    /// Whether only this machine can be meant.
    var isLocal: Bool { WebClient.isLoopback(baseURL.host() ?? "") }

    /// Where somebody who carries our messages can write to us.
    var contact: String { isSecure ? baseURL.absoluteString : "mailto:\(mailFrom.address)" }

    /// Reads `environment`. Throws the name of the first variable that it cannot use.
    init(environment: [String: String]) throws(Refusal) {
        let known = Set(Config.variables.map(\.name))
        for name in environment.keys.sorted()
        where name.hasPrefix("ANTHILL_") && !name.hasPrefix("ANTHILL_TEST_") && !name.hasPrefix(ProviderSettings.prefix)
            && !known.contains(name)
        {
            throw Refusal(variable: name, reason: "is not a variable of Anthill; see anthill --help")
        }
        let value = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }

        let metrics = "ANTHILL_METRICS_LISTEN"
        databaseURL = try DatabaseAddress(environment).url
        replicaURL = try DatabaseAddress.replicas(environment)
        listen = try Listen(value("ANTHILL_LISTEN") ?? Config.usualListen)
        metricsListen = try value(metrics).map { text throws(Refusal) in try Listen(text, metrics) }
        baseURL = try Config.baseURL(value("ANTHILL_BASE_URL"), listen)
        secret = try Config.secret(value("ANTHILL_SECRET"))
        guard let mode = RegistrationMode(rawValue: value("ANTHILL_REGISTRATION") ?? "open") else {
            throw Refusal(variable: "ANTHILL_REGISTRATION", reason: "must be open, invitation or closed")
        }
        registration = mode
        if value("ANTHILL_SMTP_URL") == "none" {
            mail = .none
        } else if let url = value("ANTHILL_SMTP_URL") {
            do { mail = .smtp(try SMTPServer(url: url)) } catch {
                throw Refusal(variable: "ANTHILL_SMTP_URL", reason: "cannot be used: \(error)")
            }
            guard value("ANTHILL_MAIL_FROM") != nil else {
                throw Refusal(variable: "ANTHILL_MAIL_FROM", reason: "is missing; ANTHILL_SMTP_URL needs a sender")
            }
        } else {
            let home = URL(filePath: value("ANTHILL_HOME") ?? ".anthill", directoryHint: .isDirectory)
            mail = .folder(home.appending(path: "mail", directoryHint: .isDirectory))
        }
        guard let from = Mailbox(value("ANTHILL_MAIL_FROM") ?? "Anthill <anthill@localhost>") else {
            throw Refusal(variable: "ANTHILL_MAIL_FROM", reason: "is no sender such as Anthill <anthill@example.org>")
        }
        mailFrom = from
        var proxies: [AddressRange] = []
        for text in (value("ANTHILL_TRUSTED_PROXIES") ?? "").split(separator: ",") {
            guard let range = AddressRange(text.trimmingCharacters(in: .whitespaces)) else {
                throw Refusal(variable: "ANTHILL_TRUSTED_PROXIES", reason: "must be addresses such as 10.0.0.0/8, ::1")
            }
            proxies.append(range)
        }
        trustedProxies = proxies
        do { providers = try ProviderSettings.providers(in: environment) } catch {
            throw Refusal(variable: error.variable, reason: error.reason)
        }
        guard let limit = Int(value("ANTHILL_API_LIMIT") ?? "300"), limit >= 0 else {
            throw Refusal(variable: "ANTHILL_API_LIMIT", reason: "must be a whole number, 0 or more")
        }
        apiLimit = limit == 0 ? nil : limit
    }

    /// The secret alone, for commands that need nothing else of the settings.
    static func secret(_ text: String?) throws(Refusal) -> String {
        let secret = text ?? ""
        guard secret.utf8.count >= 32 else {
            throw Refusal(
                variable: "ANTHILL_SECRET",
                reason: secret.isEmpty ? "is missing" : "is shorter than 32 characters")
        }
        return secret
    }

    /// The address that people open alone, for commands that print links.
    static func baseURL(of environment: [String: String]) throws(Refusal) -> String {
        let value = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        return try baseURL(value("ANTHILL_BASE_URL"), Listen(value("ANTHILL_LISTEN") ?? usualListen)).absoluteString
    }

    private static let usualListen = "127.0.0.1:8080"

    private static func baseURL(_ text: String?, _ listen: Listen) throws(Refusal) -> URL {
        let text = text ?? "http://localhost:\(listen.port)"
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: trimmed), let scheme = url.scheme, ["http", "https"].contains(scheme),
            url.host()?.isEmpty == false, url.user() == nil, url.path().isEmpty, url.query() == nil,
            url.fragment() == nil,
            (1...65535).contains(url.port ?? 80)
        else {
            throw Refusal(variable: "ANTHILL_BASE_URL", reason: "must be http(s)://host or http(s)://host:port")
        }
        return url
    }
}
