import Foundation
import Outgoing

/// Where mail is handed over, as `ANTHILL_SMTP_URL` says it.
///
/// `smtp://user:password@host:587` insists on STARTTLS, `smtps://…:465` speaks TLS from the first byte.
/// `?tls=none` sends in the clear, on loopback only; `?ca=/path.pem` trusts these authorities instead of the system's.
package struct SMTPServer: Sendable {
    enum Encryption { case none, startTLS, implicit }

    package let host: String
    let port: Int
    let user: String?
    let password: String?
    let encryption: Encryption
    let authorities: String?

    /// Throws `MailConfigurationError` with a sentence for the operator that repeats no password.
    package init(url: String) throws(MailConfigurationError) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            url.firstMatch(of: /%(?![0-9A-Fa-f]{2})/) == nil
        else {
            throw MailConfigurationError("it must look like smtp://user:password@host:587; \(Self.escapes)")
        }
        guard parts.path.isEmpty || parts.path == "/", parts.fragment == nil else {
            throw MailConfigurationError(
                "nothing may follow the host and port but ?tls=none or ?ca=FILE; \(Self.escapes)")
        }
        let options = try Self.options(parts.queryItems ?? [])
        switch parts.scheme {
        case "smtp": encryption = options["tls"] == "none" ? .none : .startTLS
        case "smtps" where options["tls"] == nil: encryption = .implicit
        case "smtps": throw MailConfigurationError("tls=none contradicts smtps://")
        default: throw MailConfigurationError("it must begin with smtp:// or smtps://")
        }
        guard encryption != .none || WebClient.isLoopback(host) else {
            throw MailConfigurationError(
                "tls=none is for a mail server on this machine (localhost, 127.0.0.1 or [::1])")
        }
        guard (parts.user == nil) == (parts.password == nil) else {
            throw MailConfigurationError("a user needs a password, and a password a user")
        }
        if let file = options["ca"], !FileManager.default.isReadableFile(atPath: file) {
            throw MailConfigurationError("there is no file \(file) that can be read")
        }
        guard (1...65535).contains(parts.port ?? 587) else {
            throw MailConfigurationError("the port must be from 1 to 65535")
        }
        self.host = host
        port = parts.port ?? (encryption == .implicit ? 465 : 587)
        user = parts.user
        password = parts.password
        authorities = options["ca"]
    }

    private static let escapes = "in user and password write @ / # % : as %40 %2F %23 %25 %3A"

    private static func options(_ items: [URLQueryItem]) throws(MailConfigurationError) -> [String: String] {
        var options: [String: String] = [:]
        for item in items {
            switch (item.name, item.value) {
            case ("tls", "none"), ("ca", .some): options[item.name] = item.value
            default: throw MailConfigurationError("the option \(item.name) is not one of tls=none and ca=FILE")
            }
        }
        return options
    }
}

/// What is wrong with a mail setting, as the end of the sentence "ANTHILL_SMTP_URL: …".
package struct MailConfigurationError: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
