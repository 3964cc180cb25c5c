import Foundation
import HTTP

/// The configured base URL: its origin, and whether it uses TLS.
package struct SiteAddress: Sendable {
    /// As a browser writes it into `Origin`: lower case, without the usual port.
    let origin: String
    let isSecure: Bool

    /// `http(s)://host` or `http(s)://host:port`; the configuration has checked it.
    init(_ baseURL: String) {
        guard let origin = Self.origin(of: baseURL) else { preconditionFailure("\(baseURL) is no address of a site") }
        self.origin = origin
        isSecure = origin.hasPrefix("https:")
    }

    /// The origin of a URL; nil unless it is an http or https URL.
    package static func origin(of address: String) -> String? {
        guard let url = URLComponents(string: address), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = url.encodedHost
        else { return nil }
        let port = url.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : $0 }
        return "\(scheme)://\(host.lowercased())" + (port.map { ":\($0)" } ?? "")
    }

    /// Whether one of our own pages sent this: the browser says so, or the origin is exactly ours.
    func sent(_ request: Request) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"] { return site == "same-origin" }
        return request.headers["Origin"] == origin
    }

    /// Whether a browser says that another site sent this.
    func isForeign(_ request: Request) -> Bool {
        (request.headers.contains("Sec-Fetch-Site") || request.headers.contains("Origin")) && !sent(request)
    }
}
