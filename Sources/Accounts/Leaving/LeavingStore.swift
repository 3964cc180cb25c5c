import API
import Foundation
import HTTP
import Postgres
import Time

/// Accounts whose owners leave: `sql/functions/leaving.sql`.
struct LeavingStore: Sendable {
    let database: Database
    let limits: LimitsStore

    /// Asks for the deletion of an account; answers when it is due. Throws ``AccountsRefusals/lastOwner`` with the
    /// groups that would have no owner, and ``AccountsRefusals/wrongPassword`` where `user` has changed since they
    /// proved who they are.
    func ask(_ user: Credentials, by caller: Caller, from client: String) async throws -> Instant {
        do {
            return try await database.write(
                "SELECT ask_to_leave(\(user.uid), \(user.epoch), \(caller.signIn), \(client))"
            ).one.decode(Instant.self)
        } catch let error as PostgresError {
            guard let constraint = error.constraint, let refusal = Refusal.accounts.byConstraint[constraint] else {
                throw error
            }
            guard refusal == Refusal.accounts.lastOwner, let groups = Self.groups(error.facts) else {
                throw refusal.renaming(["current": "password"])
            }
            throw refusal.with(["groups": groups])
        }
    }

    /// Cancels the deletion; does nothing if none is pending.
    func comeBack(_ uid: ID, from client: String) async throws {
        try await Refusal.accounts.mapConstraints {
            _ = try await database.write("SELECT come_back(\(uid), \(client))")
        }
    }

    /// Erases every account that is due. One that cannot be erased keeps no other waiting; its error is thrown at the
    /// end.
    func eraseDue() async throws {
        var failed: [ID] = []
        var reason: (any Error)?
        while true {
            let due = try await database.read("SELECT uid, canonical FROM accounts_due(\(failed))")
                .decode(ID.self, String?.self)
            if due.isEmpty { break }
            for (uid, canonical) in due {
                do { try await erase(uid, canonical) } catch {
                    try Task.checkCancellation()
                    reason = error
                    failed.append(uid)
                }
            }
        }
        if let reason { throw reason }
    }

    /// Leaves the groups first, so that no group is locked while the study records are deleted.
    private func erase(_ uid: ID, _ canonical: String?) async throws {
        _ = try await database.write("SELECT quit_all_groups(\(uid))")
        let wrongPasswords = canonical.map { [limits.forgetting($0, from: nil)] } ?? []
        _ = try await database.write(wrongPasswords + ["SELECT erase_user(\(uid))"])
    }

    private static func groups(_ facts: String?) -> JSON? {
        guard let facts, case .object(let members) = JSON(text: Array(facts.utf8)) else { return nil }
        return members["groups"]
    }
}
