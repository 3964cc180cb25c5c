import API
import Postgres

/// Light, dark, or as the device has it.
package enum Theme: String, Sendable, Encodable, PostgresDecodable {
    case system, light, dark
}

extension Theme {
    /// The theme that a request names; throws `unknown_theme` for any other text.
    package init(named text: String) throws {
        guard let theme = Theme(rawValue: text) else { throw Refusal.accounts.unknownTheme }
        self = theme
    }
}
