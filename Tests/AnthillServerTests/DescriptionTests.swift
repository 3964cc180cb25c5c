import API
import Accounts
import Foundation
import HTTP
import Postgres
import Reactor
import Schema
import TestSupport
import Testing

@testable import AnthillServer

@Suite(.database) struct DescriptionTests {
    /// The program's own table, without a connection behind it.
    private static func routes() throws -> [Endpoint] {
        let home = FileManager.default.temporaryDirectory.appending(path: "anthill-description-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        let config = try Config(environment: [
            "DATABASE_URL": "postgresql:///anthill", "ANTHILL_SECRET": "0123456789abcdef0123456789abcdef",
            "ANTHILL_HOME": home.path(),
        ])
        let group = EventLoopGroup(count: 1)
        let database = Database(url: config.databaseURL, group: group)
        return try App(
            config, database: database, migrations: Schema.migrations(), group: group,
            log: Log(isTerminal: false, write: { _ in }), say: { _ in }
        ).routes
    }

    private struct Operation {
        var needsSignIn = true
        var query: Set<String> = []
    }

    /// Every operation of openapi.yaml by its `METHOD path`.
    private static func operations() throws -> [String: Operation] {
        let text = try String(contentsOf: PageRoutes.resource("openapi.yaml"), encoding: .utf8)
        let named = #/name: ([\w-]+),?\s+in: query/#
        var shared: [Substring: String] = [:]
        for match in text.matches(of: #/\n\ {4}(\w+):\s*\{?name: ([\w-]+),?\s+in: query/#) {
            shared[match.1] = String(match.2)
        }
        var operations: [String: Operation] = [:]
        var (path, operation, before) = ("", "", "")
        for line in text.split(separator: "\n").map(String.init) {
            if line == "components:" { break }
            if let match = line.wholeMatch(of: #/\ {2}(/[^:]*):/#) {
                path = String(match.1)
            } else if let match = line.wholeMatch(of: #/\ {4}(get|post|put|patch|delete):/#) {
                let atRoot = ["/healthz", "/readyz"].contains(path)
                operation = "\(match.1.uppercased()) \(atRoot ? "" : "/api/v1")\(path)"
                operations[operation] = Operation()
            } else if line == "      security: []" {
                operations[operation]?.needsSignIn = false
            }
            if let match = line.firstMatch(of: #/components.parameters.(\w+)'/#), let name = shared[match.1] {
                operations[operation]?.query.insert(name)
            }
            for match in "\(before)\n\(line)".matches(of: named) {
                operations[operation]?.query.insert(String(match.1))
            }
            before = line
        }
        return operations
    }

    @Test func `every route of the API is described and every description has its route`() throws {
        let routes = try Self.routes().map(\.route)
        let served = routes.filter { $0.pattern.hasPrefix("/api/") || $0.pattern.hasSuffix("z") }
        let described = try Set(Self.operations().keys)
        #expect(Set(served.map { "\($0.method.rawValue) \($0.pattern)" }) == described)
    }

    @Test func `keys may call only what there is, and record only study`() throws {
        let routes = try Self.routes().map { ("\($0.route.method.rawValue) \($0.route.pattern)", $0.access) }
        let access = Dictionary(uniqueKeysWithValues: routes)
        for (operation, scope) in KeyScope.allowed {
            #expect(access[operation] == .user || access[operation] == .member, "\(operation)")
            let records = #/(POST|PUT|PATCH|DELETE) /api/v1/me/(timer|sessions|imports|subjects|projects|tasks)(/.*)?/#
            #expect(scope == (operation.hasPrefix("GET ") ? .read : .record), "\(operation)")
            #expect(scope == .read || operation.wholeMatch(of: records) != nil, "\(operation)")
        }
    }

    @Test func `the description says which routes need a sign-in`() throws {
        let operations = try Self.operations()
        for endpoint in try Self.routes() {
            let route = endpoint.route
            guard let operation = operations["\(route.method.rawValue) \(route.pattern)"] else { continue }
            #expect(operation.needsSignIn == (endpoint.access != .anyone), "\(route.method.rawValue) \(route.pattern)")
        }
    }

    @Test func `every code that a request can be refused with is described, and no other`() throws {
        let given = try SourceTexts.all(".swift").values.flatMap { text in
            text.matches(of: #/\b(?:Problem|Refusal)\(\s*\.(?!internalError\b)\w+, "([a-z_]+)"/#).map { String($0.1) }
        }
        let description = try String(contentsOf: PageRoutes.resource("openapi.yaml"), encoding: .utf8)
        let list = try #require(description.firstMatch(of: #/\n    Code:\n(?: {6}.*\n)*? {6}enum:\n((?: {8}- .*\n)*)/#))
        let described = list.1.matches(of: #/[a-z_]+/#).map { String($0.0) }
        #expect(Set(given) == Set(described))
        #expect(described == Set(described).sorted())
    }

    @Test func `the query parameters of a route are described as they are`() throws {
        var ignoring: [String] = []
        let operations = try Self.operations()
        for route in try Self.routes().map(\.route) {
            guard let operation = operations["\(route.method.rawValue) \(route.pattern)"] else { continue }
            if route.query == nil {
                ignoring.append(route.pattern)
            } else {
                #expect(route.query == operation.query, "\(route.method.rawValue) \(route.pattern)")
            }
        }
        // A provider may add what it likes (RFC 6749, 4.1.2).
        #expect(ignoring == ["/api/v1/oidc/{provider}/callback"])
        #expect(operations["GET /api/v1/me/days"]?.query == ["month", "year"])
        #expect(operations["GET /api/v1/groups/{id}/leaderboard"]?.query.count == 6)
    }
}
