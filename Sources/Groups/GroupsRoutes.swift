import Accounts
import Foundation
import HTTP
import Postgres

/// Groups, their invitations and their members over HTTP.
package struct GroupsRoutes: Sendable {
    private let gate: Gate
    private let groups: GroupStore
    private let invitations: InvitationRoutes
    private let members: MemberRoutes

    /// Links of invitations begin with `baseURL`.
    package init(database: Database, gate: Gate, baseURL: String) {
        self.gate = gate
        groups = GroupStore(database: database)
        invitations = InvitationRoutes(
            invitations: InvitationStore(database: database), gate: gate, baseURL: baseURL)
        members = MemberRoutes(members: MemberStore(database: database), gate: gate)
    }

    package var routes: [Route] {
        [
            gate.user(.post, "/api/v1/groups", create),
            gate.user(.get, "/api/v1/groups", list),
            gate.user(.get, "/api/v1/groups/{id}", access: .member, show),
            gate.user(.patch, "/api/v1/groups/{id}", access: .admin, change),
            gate.user(.delete, "/api/v1/groups/{id}", access: .owner, delete),
        ] + invitations.routes + members.routes
    }

    private func create(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("name", "description", "rules")
        let id = try await groups.create(
            owner: caller.uid, name: try GroupText.name(fields.string("name")),
            description: try GroupText.description(fields.optionalString("description") ?? ""),
            rules: try wantedRules(fields) ?? WantedRules())
        return try .created(await groups.details(id, for: caller.uid), at: "/api/v1/groups/\(id.lowercased)")
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await groups.all(of: caller.uid, request.paging()))
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await groups.details(request.uuid("id"), for: caller.uid))
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        let fields = try request.json("name", "description", "rules")
        let change = GroupStore.Change(
            name: try fields.optionalString("name").map(GroupText.name),
            description: try fields.optionalString("description").map(GroupText.description),
            rules: try wantedRules(fields))
        try await groups.change(id, by: caller.uid, change)
        return try .json(await groups.details(id, for: caller.uid))
    }

    private func delete(_ request: Request, _ caller: Caller) async throws -> Response {
        try await groups.delete(request.uuid("id"), by: caller.uid)
        return .noContent
    }

    private func wantedRules(_ fields: Fields) throws -> WantedRules? {
        try fields.optionalObject("rules", "time_zone", "day_starts_at", "daily_cap_seconds", "manual_counts").map {
            try WantedRules(
                timeZone: $0.optionalString("time_zone"), dayStartsAt: $0.optionalString("day_starts_at"),
                dailyCapSeconds: $0.optionalInt("daily_cap_seconds"), manualCounts: $0.optionalBool("manual_counts"))
        }
    }
}

extension UUID {
    /// As everywhere in the API.
    var lowercased: String { uuidString.lowercased() }
}
