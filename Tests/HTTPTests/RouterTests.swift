import Foundation
import HTTP
import Synchronization
import Testing

@Suite struct RouterTests {
    private static let router = Router(
        [
            Route(.get, "/things/{id}") { try .json(["id": $0.parameter("id")]) },
            Route(.delete, "/things/{id}") { _ in .noContent },
            Route(.get, "/found", query: ["name", "limit"]) { request in
                .text(request.query["name"] ?? "-")
            },
            Route(.get, "/page", query: nil) { _ in .text("a page") },
            Route(.get, "/things/mine") { _ in try .json(["id": "mine!"]) },
            Route(.post, "/things") { try .created($0.json("name").string("name"), at: "/things/1") },
            Route(.get, "/things/{id}/parts/{part}") { request in
                try .json(["id": request.parameter("part")])
            },
            Route(.get, "/secret") { _ in Response.text("s3cret").notStored() },
            Route(.get, "/broken") { _ in throw CancellationError() },
            Route(.post, "/conflict") { _ in throw Conflict() },
        ], pageNotFound: { _ in .text("<p>nothing</p>", type: "text/html") }
    ) { error, request in failures.withLock { $0.append("\(request.route) \(error)") } }

    private static let failures = Mutex<[String]>([])

    private struct Conflict: ResponseError {
        let status = Status.conflict
        let code = "timer_already_running"
        let detail = Localized(ko: "이미 재고 있어요.", en: "It is already running.")
        let headers = [("Retry-After", "3")]
        let extra: JSONMembers? = ["timer": ["state": "running"]]
    }

    private func respond(_ method: HTTP.Method, _ target: Target, _ headers: Headers = [:]) async -> Response {
        await Self.router.respond(to: Request(method, target, headers: headers, id: "r1"))
    }

    @Test func `a literal segment is tried before a parameter, even for a method that only the parameter has`() async {
        #expect(await respond(.get, "/things/mine").text == #"{"id":"mine!"}"#)
        #expect(await respond(.get, "/things/a%2Fb").text == #"{"id":"a/b"}"#)
        #expect(await respond(.delete, "/things/mine").status == .methodNotAllowed)
        #expect(await respond(.delete, "/things/mine/").status == .notFound)
    }

    @Test(arguments: [
        "/", "/thing", "/things/", "/things/1/", "//things", "/things/1/parts", "/things%2F1", "/Things/1",
    ])
    func `a path that is not quite a pattern is 404`(path: String) async throws {
        let answer = await respond(.get, try #require(Target(path)))
        #expect(answer.status == .notFound)
        #expect(answer.text.contains(#""code":"not_found""#))
    }

    @Test func `a person with a browser gets a page where there is none`() async {
        let page = await respond(.get, "/nothing", ["Accept": "text/html,*/*"])
        #expect(page.status == .notFound && page.text == "<p>nothing</p>")
        #expect(await respond(.post, "/nothing", ["Accept": "text/html"]).text.contains("not_found"))
    }

    @Test func `another method is 405 with what is allowed, and OPTIONS tells it`() async {
        let answer = await respond(.put, "/things/mine")
        #expect(answer.status == .methodNotAllowed)
        #expect(answer.headers["Allow"] == "GET, HEAD, OPTIONS")
        let options = await respond(.options, "/things")
        #expect(options.status == .noContent && options.headers["Allow"] == "POST, OPTIONS")
        #expect(await respond(.options, "*").headers["Allow"] == "GET, HEAD, POST, DELETE, OPTIONS")
        #expect(await respond(.options, "/nothing").status == .notFound)
    }

    @Test func `what has not changed is 304 without a body`() async throws {
        let first = await respond(.get, "/things/1")
        let tag = try #require(first.headers["ETag"])
        for list in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = await respond(.get, "/things/1", ["If-None-Match": list])
            #expect(again.status == .notModified && again.text.isEmpty && again.headers["ETag"] == tag)
            #expect(again.headers["Cache-Control"] == "private, no-cache" && !again.headers.contains("Content-Type"))
        }
        #expect(await respond(.get, "/things/1", ["If-None-Match": "\"x\""]).status == .ok)
        #expect(await respond(.head, "/things/1", ["If-None-Match": tag]).status == .notModified)
        #expect(await respond(.get, "/things/2").headers["ETag"] != tag)
    }

    @Test func `a secret has no ETag and is marked no-store`() async {
        let answer = await respond(.get, "/secret")
        #expect(!answer.headers.contains("ETag"))
        #expect(answer.headers.all("Cache-Control") == ["no-store"])
    }

    @Test func `an answer is private and of its own type`() async {
        for path in ["/things/1", "/nothing", "/broken"] as [Target] {
            let answer = await respond(.get, path)
            #expect(answer.headers["Cache-Control"] == "private, no-cache")
            #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
        }
    }

    @Test func `an error that knows its answer gives it in the person's language`() async {
        let answer = await respond(.post, "/conflict", ["Accept-Language": "ko-KR,ko;q=0.9,en;q=0.8"])
        #expect(answer.status == .conflict)
        #expect(answer.headers["Content-Type"] == "application/problem+json")
        #expect(answer.headers["Retry-After"] == "3")
        for part in [
            #""type":"about:blank""#, #""title":"Conflict""#, #""status":409"#, #""code":"timer_already_running""#,
            #""detail":"이미 재고 있어요.""#, #""timer":{"state":"running"}"#, #""request_id":"r1""#,
        ] {
            #expect(answer.text.contains(part))
        }
    }

    @Test func `any other error is reported, and is a 500 that says nothing but the request's id`() async {
        let answer = await respond(.get, "/broken")
        #expect(answer.status == .internalError)
        #expect(answer.text == #"{"request_id":"r1"}"#)
        #expect(Self.failures.withLock { $0.contains("/broken CancellationError()") })
    }

    @Test func `each parameter of a pattern has its value`() async {
        #expect(await respond(.get, "/things/1/parts/2").text == #"{"id":"2"}"#)
    }

    @Test func `a query that names something twice is 400`() async {
        let answer = await respond(.get, "/things/1?a=1&a=2")
        #expect(answer.status == .badRequest && answer.text.contains(#""code":"invalid_query""#))
        #expect(answer.text.contains(#""field":"a""#))
    }

    @Test func `a query parameter that the route does not read is 400`() async {
        for path in [
            "/found?name=x&nmae=y", "/found?name=x&NAME=y", "/things/mine?name=x", "/found?=x", "/found?%20=x",
        ] {
            let answer = await respond(.get, Target(path)!)
            #expect(answer.status == .badRequest && answer.text.contains(#""code":"unknown_parameter""#), "\(path)")
        }
        #expect(await respond(.head, "/found?nmae=x").status == .badRequest)
        #expect(await respond(.delete, "/things/1?force=true").text.contains(#""field":"force""#))
        #expect(await respond(.get, "/found?name=x").text == "x")
        #expect(await respond(.get, "/found?").text == "-")
    }

    @Test func `a page ignores its query`() async {
        #expect(await respond(.get, "/page?utm_source=a&utm_source=b").text == "a page")
    }

    @Test func `behind TLS, every answer tells browsers to use TLS`() async {
        let router = Router(
            [
                Route(.get, "/thing") { _ in .text("a thing") },
                Route(.post, "/thing") { _ in throw CancellationError() },
            ], isSecure: true
        ) { _, _ in }
        for (method, path) in [(.get, "/thing"), (.post, "/thing"), (.get, "/nothing"), (.put, "/thing")]
            as [(HTTP.Method, Target)]
        {
            let answer = await router.respond(to: Request(method, path))
            #expect(answer.headers.all("Strict-Transport-Security") == ["max-age=31536000"])
        }
        #expect(await !respond(.get, "/things/1").headers.contains("Strict-Transport-Security"))
    }

    @Test func `a body that is no JSON is 415`() async {
        for type in ["text/plain", "application/json; charset=latin1", "application/jsonx", ""] {
            let request = Request(.post, "/things", headers: ["Content-Type": type], body: Array("{}".utf8))
            #expect(await Self.router.respond(to: request).status == .unsupportedMediaType)
        }
        let type = "Application/JSON; charset=\"UTF-8\""
        let request = Request(.post, "/things", headers: ["Content-Type": type], body: Array(#"{"name":"x"}"#.utf8))
        let answer = await Self.router.respond(to: request)
        #expect(answer.status == .created && answer.headers["Location"] == "/things/1")
    }
}

extension Response {
    /// The body as text.
    var text: String { String(decoding: body.content ?? [], as: UTF8.self) }
}
