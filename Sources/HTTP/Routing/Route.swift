/// One method on one pattern, such as `GET /api/v1/groups/{id}`, with its handler.
package final class Route: Sendable {
    package let method: Method
    package let pattern: String
    /// What its requests are counted under: the pattern, or one name for many that are alike.
    package let name: RouteName
    /// The parameters that the handler reads from the query: any other is `400 unknown_parameter`. Nil for pages, which
    /// ignore what others append to their links.
    package let query: Set<String>?
    /// The most bytes a body may have; a larger one is `413`.
    package let maxBody: Int
    /// Called with the head alone before a body of more than ``usualMaxBody`` is read; what it throws is the answer.
    package let checkHead: (@Sendable (Request) async throws -> Void)?
    package let handler: @Sendable (Request) async throws -> Response

    package init(
        _ method: Method, _ pattern: String, query: Set<String>? = [], countedAs name: String? = nil,
        maxBody: Int = Route.usualMaxBody,
        checkHead: (@Sendable (Request) async throws -> Void)? = nil,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        self.method = method
        self.pattern = pattern
        self.name = RouteName(method: method.rawValue, route: name ?? pattern)
        self.query = query
        self.maxBody = maxBody
        self.checkHead = checkHead
        self.handler = handler
    }

    /// 64 KiB: what anybody may send before it is known who they are.
    package static let usualMaxBody = 64 * 1024
}
