/// Where the links in mails lead, below the configured address, never a request's `Host`.
///
/// Tokens travel in the fragment, so no server's log and no `Referer` ever holds one.
struct AccountLinks: Sendable {
    private let baseURL: String

    init(_ baseURL: String) { self.baseURL = baseURL }

    func welcome(_ token: String) -> String { "\(baseURL)/welcome#token=\(token)" }
    func newPassword(_ token: String) -> String { "\(baseURL)/new-password#token=\(token)" }
}
