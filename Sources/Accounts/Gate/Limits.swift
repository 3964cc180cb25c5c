/// How often something may be tried.
package struct Limits: Sendable {
    /// At most ``most`` attempts in ``seconds``.
    package struct Rate: Sendable {
        package var most: Int
        package var seconds: Int

        package init(_ most: Int, in seconds: Int) {
            self.most = most
            self.seconds = seconds
        }
    }

    package var apiRequests = Rate(300, in: 10)
    package var passwordAttempts = Rate(30, in: 5 * 60)
    package var tokenSubmissions = Rate(30, in: 5 * 60)
    package var mailRequests = Rate(200, in: 3600)
    package var pictures = Rate(30, in: 3600)
    /// Wrong passwords of one account from one client address that cost nothing; the next ones cost 2, 4, 8 … seconds.
    package var freeWrongPasswords = 5
    package var longestWait = 15 * 60
    /// Wrong passwords of one account from anywhere; after these only a reset by mail helps.
    package var wrongPasswords = 100

    package init() {}
}
