/// One method on one pattern, such as `GET /api/v1/groups/{id}`, with its handler.
package struct Route: Sendable {
    package let method: Method
    package let pattern: String
    /// The most bytes a body may have; a larger one is `413`.
    package let maxBody: Int
    package let handler: @Sendable (Request) async throws -> Response

    package init(
        _ method: Method, _ pattern: String, maxBody: Int = Route.usualMaxBody,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        self.method = method
        self.pattern = pattern
        self.maxBody = maxBody
        self.handler = handler
    }

    /// 64 KiB.
    package static let usualMaxBody = 64 * 1024
}
