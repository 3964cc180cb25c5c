import HTTP

/// Who may call an endpoint.
package enum Access: String, Sendable, CaseIterable {
    /// Everybody.
    case anyone
    /// A signed-in user.
    case user
    /// A member of the group that the path names, with this role or a higher one.
    case member, admin, owner
    /// An admin of the whole service; for everybody else who is signed in it is `404`.
    case siteAdmin
    /// The operator of the service, on the same machine.
    case local
}

/// A route and who may call it. Accounts' `Gate` refuses requests without a sign-in and those that only site
/// admins may make, ``local(_:_:_:)`` those from other machines. Roles in a group are checked by the database functions that the handlers call.
package struct Endpoint: Sendable {
    package let access: Access
    package let route: Route

    package init(_ access: Access, _ route: Route) {
        self.access = access
        self.route = route
    }

    /// A page for the operator of the service; everybody else gets `404`.
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
