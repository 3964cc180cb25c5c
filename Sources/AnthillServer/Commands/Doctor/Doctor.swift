import Postgres

/// `anthill admin doctor`: looks at everything that an operator would look at, and changes nothing.
///
/// A check that cannot be made is a finding as well, so that nothing unchecked looks well.
struct Doctor {
    let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// Without the rows if it has to be quick.
    func health(isQuick: Bool) async -> Health {
        var findings = [Finding("version", .ok, "anthill \(programVersion)"), configuration()]
        do {
            findings += try await Command.on(environment, as: .admin, withReplicas: true) {
                await look(at: $0, isQuick: isQuick)
            }
        } catch {
            findings.append(await finding("disk") { try await disk() })
            findings.append(Finding("database", .critical, "\(error)"))
        }
        return Health(findings: findings)
    }

    private func look(at database: Database, isQuick: Bool) async -> [Finding] {
        var findings = [
            await finding("disk") { try await disk(database) },
            await finding("database") { try await server(database) },
            await finding("schema") { try await schema(database) },
            await finding("settings") { try await settings(database) },
            await finding("clock") { try await clock(database) },
        ]
        // The rest asks what only this program's schema has.
        guard findings[2].status < .critical else { return findings }
        findings += [
            await finding("rights") { try await rights(database) },
            await finding("mail") { try await mail(database) },
            await finding("pushes") { try await pushes(database) },
            await finding("ranks") { try await ranks(database) },
            await finding("months") { try await months(database) },
            await finding("backup") { try await backup(database) },
        ]
        if database.hasReplicas { findings.append(await finding("replicas") { try await replicas(database) }) }
        if !isQuick { findings.append(await finding("rows") { try await rows(database) }) }
        return findings
    }

    /// What `look` finds; critical where it fails.
    private func finding(_ check: String, _ look: () async throws -> Finding) async -> Finding {
        do { return try await look() } catch {
            return Finding(check, .critical, "this could not be looked at: \(error)")
        }
    }
}

typealias Finding = Health.Finding

extension Duration {
    /// As a person would say it: `40 s`, `12 min`, `5 h`, `3 days`.
    var roughly: String {
        let seconds = Int(self / .seconds(1))
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86400) days"
        }
    }
}
