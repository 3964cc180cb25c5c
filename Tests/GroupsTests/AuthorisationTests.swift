import API
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// Every route of groups × everyone who may ask: what is not theirs is 404, what they see but may not do 403.
@Suite(.database) struct AuthorisationTests {
    enum Asker: CaseIterable {
        case nobody, stranger, exMember, member, admin, owner, siteAdmin
    }

    struct Call: Sendable, CustomTestStringConvertible {
        let method: HTTP.Method
        /// Below the group's own path, with `{member}` for a plain member's uid (in the body, too), `{banned}` for
        /// one who is kept out, `{invitation}` for an invitation, `{suspension}` for that of one more, and `{request}`
        /// for a request to join.
        let path: String
        let body: JSON?
        /// In the order of the askers. A site admin gets what a stranger gets.
        let statuses: [Int]
        var testDescription: String { "\(method.rawValue) /groups/{id}\(path)" }

        init(_ method: HTTP.Method, _ path: String, _ statuses: [Int]) {
            self.init(method, path, nil, statuses)
        }

        init(_ method: HTTP.Method, _ path: String, _ body: JSON?, _ statuses: [Int]) {
            (self.method, self.path, self.body, self.statuses) = (method, path, body, statuses)
        }
    }

    private static let calls = [
        Call(.get, "", [401, 404, 404, 200, 200, 200]),
        Call(.patch, "", ["name": "New"], [401, 404, 404, 403, 200, 200]),
        Call(.patch, "", ["rules": ["manual_counts": false]], [401, 404, 404, 403, 200, 200]),
        Call(.delete, "", [401, 404, 404, 403, 403, 204]),
        Call(.post, "/invitations", [:], [401, 404, 404, 403, 201, 201]),
        Call(.get, "/invitations", [401, 404, 404, 403, 200, 200]),
        Call(.delete, "/invitations/{invitation}", [401, 404, 404, 403, 204, 204]),
        Call(.post, "/transfer", ["uid": "{member}"], [401, 404, 404, 403, 403, 200]),
        Call(.get, "/bans", [401, 404, 404, 403, 200, 200]),
        Call(.delete, "/bans/{banned}", [401, 404, 404, 403, 204, 204]),
        Call(.delete, "/members/me", [401, 404, 404, 204, 204, 409]),
        Call(.get, "/members", [401, 404, 404, 200, 200, 200]),
        Call(
            .get, "/members?after=MjAyNi0xMS0yMVQwMzowMDowMFogNUUwRUYzQUUtM0I4My00RjVBLThDNEUtMkIxQjJFMUYwQTEx",
            [401, 404, 404, 200, 200, 200]),
        Call(.patch, "/members/me", ["visibility": "hidden"], [401, 404, 404, 200, 200, 200]),
        Call(.patch, "/members/{member}", ["role": "admin"], [401, 404, 404, 403, 403, 200]),
        Call(
            .post, "/suspensions", ["uid": "{member}", "reason": "x", "until": "2026-11-22T00:00:00Z"],
            [401, 404, 404, 403, 201, 201]),
        Call(.get, "/suspensions", [401, 404, 404, 200, 200, 200]),
        Call(.get, "/suspensions/{suspension}", [401, 404, 404, 404, 200, 200]),
        Call(.delete, "/suspensions/{suspension}", [401, 404, 404, 403, 204, 204]),
        Call(.put, "/suspensions/{suspension}/answer", ["answer": "x"], [401, 404, 404, 404, 403, 403]),
        Call(.get, "/audit", [401, 404, 404, 403, 200, 200]),
        Call(.get, "/join-requests", [401, 404, 404, 403, 200, 200]),
        Call(.put, "/join-requests/{request}/answer", ["accepted": false], [401, 404, 404, 403, 204, 204]),
        Call(.put, "/notice", ["text": "x"], [401, 404, 404, 403, 204, 204]),
        Call(.delete, "/notice", [401, 404, 404, 403, 204, 204]),
        Call(
            .put, "/cycle", ["study_minutes": 50, "rest_minutes": 10, "minute": 0], [401, 404, 404, 403, 204, 204]),
        Call(.delete, "/cycle", [401, 404, 404, 403, 204, 204]),
        Call(.post, "/cheers", ["uid": "{member}"], [401, 404, 404, 204, 204, 204]),
        Call(.delete, "/members/{member}", [401, 404, 404, 403, 204, 204]),
        Call(.delete, "/members/{member}?ban=true", [401, 404, 404, 403, 204, 204]),
    ]

    /// Any member may do these to themselves; the calls above do them to somebody else.
    private static let alsoToOneself = [
        "GET /groups/{id}/suspensions/{suspension}", "PUT /groups/{id}/suspensions/{suspension}/answer",
        "DELETE /groups/{id}/members/{member}", "DELETE /groups/{id}/members/{member}?ban=true",
    ]

    @Test(arguments: calls)
    func `the table of routes names the lowest role that may call`(call: Call) throws {
        func segments(_ path: some StringProtocol) -> [String] {
            path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }
        }
        let path = segments("/api/v1/groups/{id}\(call.path)".prefix { $0 != "?" })
        let endpoints = groupEndpoints().filter {
            $0.route.method == call.method && segments($0.route.pattern) == path
        }
        let endpoint = try #require(endpoints.first)
        let allowed = zip([Access.member, .admin, .owner], call.statuses.dropFirst(3)).first { $1 < 400 }?.0
        #expect(endpoint.access == (Self.alsoToOneself.contains(call.testDescription) ? .member : allowed))
    }

    @Test(arguments: calls)
    func `each role does what it may and no more`(call: Call) async throws {
        for (asker, status) in zip(Asker.allCases, call.statuses + [call.statuses[1]]) {
            let room = try await Room()
            let victim = try await room.join("Victim")
            let token: String?
            switch asker {
            case .nobody: token = nil
            case .stranger: token = try await Person("Stranger", groups()).token
            case .exMember:
                let person = try await room.join("Gone")
                try await TestDatabase.current.advance(1)
                _ = await person.delete("\(room.path)/members/\(person.id)")
                token = person.token
            case .member: token = try await room.join("Member").token
            case .admin: token = try await room.join("Admin", as: "admin").token
            case .owner: token = room.owner.token
            case .siteAdmin:
                let person = try await Person("Warden", groups())
                _ = try await TestDatabase.current.database.write(
                    "SELECT make_site_admin(\(person.uid), 'the operator')")
                token = person.token
            }
            let banned = try await room.join("Banned")
            _ = await room.owner.delete("\(room.path)/members/\(banned.id)?ban=true")
            let invitation = await room.owner.post("\(room.path)/invitations").json["id"].string ?? "-"
            let suspended = try await room.join("Suspended")
            let suspension =
                await room.owner.post(
                    "\(room.path)/suspensions",
                    ["uid": .string(suspended.id), "reason": "x", "until": "2026-11-22T00:00:00Z"]
                ).json["id"].string ?? "-"
            let asker = try await Person("Asker", groups())
            _ = await room.owner.patch(room.path, ["listed": true])
            let request = await asker.post("\(room.path)/join-requests").json["id"].string ?? "-"
            let path = call.path.replacingOccurrences(of: "{member}", with: victim.id)
                .replacingOccurrences(of: "{banned}", with: banned.id)
                .replacingOccurrences(of: "{invitation}", with: invitation)
                .replacingOccurrences(of: "{suspension}", with: suspension)
                .replacingOccurrences(of: "{request}", with: request)
            var body = call.body
            if case .object(var members) = body, members["uid"] != nil {
                members["uid"] = .string(victim.id)
                body = .object(members)
            }
            let answer = await groups().send(call.method, "/api/v1\(room.path)\(path)", json: body, bearer: token)
            #expect(answer.status.code == status, "\(asker)")
        }
    }
}
