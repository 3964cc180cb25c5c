import Foundation
import Outgoing

/// The providers in the environment: `ANTHILL_OIDC_<NAME>_<PART>`.
package enum ProviderSettings {
    package static let prefix = "ANTHILL_OIDC_"

    /// A variable that is missing or cannot be used, and why. It never tells a value.
    package struct Wrong: Error, Sendable {
        package let variable: String
        package let reason: String
    }

    private static let parts: Set<String> = [
        "ISSUER", "LABEL", "CLIENT_ID", "CLIENT_SECRET", "TEAM_ID", "KEY_ID", "KEY_FILE",
    ]

    /// In the order of their names. Throws ``Wrong``.
    package static func providers(in environment: [String: String]) throws(Wrong) -> [Provider] {
        var values: [String: [String: String]] = [:]
        for variable in environment.keys.sorted() where variable.hasPrefix(prefix) {
            guard let match = variable.dropFirst(prefix.count).wholeMatch(of: /([A-Z0-9]+)_([A-Z_]+)/),
                parts.contains(String(match.2))
            else { throw Wrong(variable: variable, reason: "is not a variable of Anthill; see anthill --help") }
            if let value = environment[variable], !value.isEmpty {
                values[String(match.1), default: [:]][String(match.2)] = value
            }
        }
        var providers: [Provider] = []
        for (name, values) in values.sorted(by: { $0.key < $1.key }) {
            let provider = try ProviderVariables(name: name, values: values).provider()
            if let other = providers.first(where: { $0.issuer == provider.issuer }) {
                throw Wrong(
                    variable: "\(prefix)\(name)_ISSUER", reason: "is the issuer of \(other.id.uppercased()), too")
            }
            providers.append(provider)
        }
        return providers
    }
}

/// The variables of one provider.
private struct ProviderVariables {
    let name: String
    let values: [String: String]

    private var preset: ProviderPreset { ProviderPreset.all[name] ?? ProviderPreset() }

    func provider() throws(ProviderSettings.Wrong) -> Provider {
        Provider(
            id: name.lowercased(), name: values["LABEL"] ?? preset.name ?? name.capitalized, issuer: try issuer(),
            clientID: try needed("CLIENT_ID"), credential: try credential(), scope: preset.scope,
            confirming: preset.confirming)
    }

    private func issuer() throws(ProviderSettings.Wrong) -> String {
        guard let issuer = values["ISSUER"] ?? preset.issuer else { throw missing("ISSUER") }
        guard WebClient.isAllowed(issuer), let url = URLComponents(string: issuer), url.query == nil,
            url.fragment == nil
        else { throw wrong("ISSUER", "must be an https address, as the provider writes it") }
        return issuer
    }

    private func credential() throws(ProviderSettings.Wrong) -> Provider.Credential {
        guard preset.signsItsSecret else {
            for part in ["TEAM_ID", "KEY_ID", "KEY_FILE"] where values[part] != nil {
                throw wrong(part, "is for APPLE alone")
            }
            if preset.needsSecret { return .secret(try needed("CLIENT_SECRET")) }
            return values["CLIENT_SECRET"].map { .secret($0) } ?? .none
        }
        if values["CLIENT_SECRET"] != nil { throw wrong("CLIENT_SECRET", "is made from the key; leave it out") }
        let (team, keyID, file) = (try needed("TEAM_ID"), try needed("KEY_ID"), try needed("KEY_FILE"))
        guard let pem = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw wrong("KEY_FILE", "cannot be read")
        }
        guard let key = SigningKey(pem: pem) else { throw wrong("KEY_FILE", "holds no private key of the curve P-256") }
        return .signed(by: key, keyID: keyID, team: team)
    }

    private func needed(_ part: String) throws(ProviderSettings.Wrong) -> String {
        guard let value = values[part] else { throw missing(part) }
        return value
    }

    private func missing(_ part: String) -> ProviderSettings.Wrong { wrong(part, "is missing") }

    private func wrong(_ part: String, _ reason: String) -> ProviderSettings.Wrong {
        .init(variable: "\(ProviderSettings.prefix)\(name)_\(part)", reason: reason)
    }
}
