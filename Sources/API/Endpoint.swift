import HTTP

/// Who may call an endpoint.
package enum Access: String, Sendable, CaseIterable {
    /// Whoever reaches the service.
    case anyone
    /// Whoever is signed in.
    case user
    /// Whoever is at least that in the group that the path names.
    case member, admin, owner
    /// Whoever runs the service, on the same machine.
    case local
}

/// A route and who may call it. Accounts' `Gate` keeps out whoever is not signed in, ``local(_:_:_:)`` whoever is
/// elsewhere; the roles in a group are kept by the functions of the database that the handlers call.
package struct Endpoint: Sendable {
    package let access: Access
    package let route: Route

    package init(_ access: Access, _ route: Route) {
        self.access = access
        self.route = route
    }

    /// A page for whoever runs the service: to everybody else it is not there.
    package static func local(
        _ method: HTTP.Method, _ pattern: String, _ handler: @escaping @Sendable (Request) async throws -> Response
    ) -> Endpoint {
        let route = Route(method, pattern, query: nil) { request in
            guard request.isLocal else { throw Problem.notFound }
            return try await handler(request)
        }
        return Endpoint(.local, route)
    }
}
