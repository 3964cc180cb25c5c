import HTTP
import Mail
import Postgres

/// Timers that have run unattended for too long: their owners are told by mail, once for each session, if they want it.
package struct UnattendedTimers: Sendable {
    private let database: Database
    private let letters: Letters

    package init(database: Database, baseURL: String) {
        self.database = database
        letters = Letters(baseURL: baseURL)
    }

    /// Asks for the mails; to be called every minute or so, by as many instances as there are. Answers how many.
    @discardableResult
    package func mail() async throws -> Int {
        try await database.write("SELECT mail_about_unattended_timers()")[0].decode(Int.self)
    }

    /// For the mail worker.
    package var composers: [MailKind: Composer] { [.unattendedTimer: compose] }

    /// Nothing is sent about a timer that was paused or stopped in the meantime.
    private func compose(_ item: OutboxItem) async throws -> Composition? {
        guard let uid = item.parameters["uid"].flatMap(ID.init),
            let session = item.parameters["session_id"].flatMap(ID.init)
        else { return nil }
        let rows = try await database.read("SELECT email, locale, began FROM unattended_timer(\(uid), \(session))")
        guard let row = rows.first else { return nil }
        let (email, locale, began) = try row.decode(String.self, String.self, String.self)
        return Mailbox(address: email).map {
            Composition(letters.unattendedTimer(to: $0, since: began, language: Language(rawValue: locale) ?? .en))
        }
    }
}
