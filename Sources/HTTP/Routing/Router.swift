import Foundation

/// Turns requests into answers: finds the route, runs it, and gives every error its response.
package struct Router: Sendable {
    private let table: RouteTable
    private let pageNotFound: (@Sendable (Request) -> Response)?
    private let isSecure: Bool
    private let failed: @Sendable (any Error, Request) -> Void

    /// `pageNotFound` is what a browser gets instead of a problem document where there is no page. With `isSecure`, every
    /// answer tells browsers to come by TLS only. `failed` learns of each error that has no answer of its own and became
    /// a 500.
    package init(
        _ routes: [Route], pageNotFound: (@Sendable (Request) -> Response)? = nil,
        isSecure: Bool = false,
        failed: @escaping @Sendable (any Error, Request) -> Void = { error, request in
            FileHandle.standardError.write(
                Data("\(request.id) \(request.method.rawValue) \(request.route): \(error)\n".utf8))
        }
    ) {
        table = RouteTable(routes)
        self.failed = failed
        self.isSecure = isSecure
        self.pageNotFound = pageNotFound
    }

    /// What is known of a request before its body is read.
    package struct Admission: Sendable {
        /// The pattern of the route, `-` when there is none.
        package let route: String
        /// Where its requests are counted: a place in ``Router/names``.
        let number: Int
        package let maxBody: Int
        fileprivate let match: RouteTable.Match

        /// Whether the head has to be checked before a body of this framing is read.
        func checksHead(before framing: RequestHead.Framing) -> Bool {
            guard case .route(let route, _, _) = match, route.checkHead != nil else { return false }
            return framing.isLarge(limit: maxBody)
        }
    }

    /// What requests are counted under; the first is for those without a route.
    var names: [RouteName] { table.names }

    package func admit(_ method: Method, _ target: Target) -> Admission {
        let match = table.match(method == .head ? .get : method, target)
        guard case .route(let route, let number, _) = match else {
            return Admission(route: "-", number: 0, maxBody: Route.usualMaxBody, match: match)
        }
        return Admission(route: route.pattern, number: number, maxBody: route.maxBody, match: match)
    }

    /// The answer to a request, never an error.
    package func respond(to request: Request) async -> Response {
        await respond(to: request, admission: admit(request.method, request.target))
    }

    package func respond(to request: Request, admission: Admission) async -> Response {
        var request = request
        request.route = admission.route
        do {
            var response = try await answer(&request, admission.match)
            if case .download(let download) = response.body {
                response.body = .download(download.failing { [request, failed] error in failed(error, request) })
            }
            if request.method == .get || request.method == .head { response.revalidate(for: request) }
            return finished(response)
        } catch {
            return finished(problem(error, request))
        }
    }

    /// Why a large body is not to be read; nil when it may come. The request has no body yet.
    func refusal(of request: Request, admission: Admission) async -> Response? {
        guard case .route(let route, _, _) = admission.match, let checkHead = route.checkHead else { return nil }
        var request = request
        request.route = admission.route
        do {
            try await checkHead(request)
            return nil
        } catch {
            return finished(problem(error, request))
        }
    }

    /// Adds what every answer has unless its handler said otherwise.
    func finished(_ response: Response) -> Response {
        var response = response
        func add(_ name: String, _ value: String) {
            if !response.headers.contains(name) { response.headers.add(name, value) }
        }
        add("Cache-Control", "private, no-cache")
        add("X-Content-Type-Options", "nosniff")
        add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        if isSecure { add("Strict-Transport-Security", "max-age=31536000") }
        return response
    }

    private func answer(_ request: inout Request, _ match: RouteTable.Match) async throws -> Response {
        if request.path == "*" {
            guard request.method == .options else { throw Problem.badRequest }
            return Response(.noContent, headers: ["Allow": Self.allow(table.methods)])
        }
        switch match {
        case .route(let route, _, let parameters):
            if let names = route.query { try request.target.allowQuery(names) }
            request.parameters = parameters
            return try await route.handler(request)
        case .otherMethods(let methods) where request.method == .options:
            return Response(.noContent, headers: ["Allow": Self.allow(methods)])
        case .otherMethods(let methods):
            throw Problem.methodNotAllowed(allow: Self.allow(methods))
        case .nothing:
            guard let pageNotFound, request.wantsPage else { throw Problem.notFound }
            var page = pageNotFound(request)
            page.status = .notFound
            return page
        }
    }

    private func problem(_ error: any Error, _ request: Request) -> Response {
        func document(_ error: some ResponseError) -> Response {
            .problem(error, language: request.language, requestID: request.id)
        }
        if let known = error as? any ResponseError, known.status != .internalError { return document(known) }
        failed(error, request)
        return document(Problem.internalError)
    }

    private static func allow(_ methods: Set<Method>) -> String {
        var all = methods.union([.options])
        if all.contains(.get) { all.insert(.head) }
        return Method.allCases.filter(all.contains).map(\.rawValue).joined(separator: ", ")
    }
}

extension Request {
    /// Whether it comes from a person with a browser.
    fileprivate var wantsPage: Bool {
        (method == .get || method == .head) && headers["Accept"]?.contains("text/html") == true
    }

    /// Whether the client already has the content with this ETag.
    package func hasNewest(_ tag: String) -> Bool {
        headers.all("If-None-Match").contains { list in
            list == tag
                || list.split(separator: ",").contains { entry in
                    let entry = entry.trimmed
                    return entry == "*" || (entry.hasPrefix("W/") ? entry.dropFirst(2) : entry) == tag
                }
        }
    }
}

extension Response {
    /// Gives a 200 its ETag, and turns it into a 304 when the client already has it.
    fileprivate mutating func revalidate(for request: Request) {
        guard status == .ok, case .bytes(let bytes) = body, headers["Cache-Control"] != "no-store" else { return }
        let tag = headers["ETag"] ?? ContentTag.of(bytes)
        if !headers.contains("ETag") { headers.add("ETag", tag) }
        guard request.hasNewest(tag) else { return }
        status = .notModified
        headers.remove("Content-Type")
        body = .none
    }
}
