import Foundation
import HTTP

/// Asks a router in process, with everything of the program but the socket.
package struct Client: Sendable {
    private let router: Router
    /// Sent with each request.
    package var headers: Headers

    package init(_ router: Router, headers: Headers = ["Host": "localhost:8080"]) {
        self.router = router
        self.headers = headers
    }

    package func get(_ target: String, bearer: String? = nil, headers: Headers = [:]) async -> Answer {
        await send(.get, target, bearer: bearer, headers: headers)
    }

    package func post(
        _ target: String, json: JSON? = nil, bearer: String? = nil, headers: Headers = [:]
    ) async -> Answer {
        await send(.post, target, json: json, bearer: bearer, headers: headers)
    }

    package func put(
        _ target: String, json: JSON? = nil, bearer: String? = nil, headers: Headers = [:]
    ) async -> Answer {
        await send(.put, target, json: json, bearer: bearer, headers: headers)
    }

    package func patch(
        _ target: String, json: JSON? = nil, bearer: String? = nil, headers: Headers = [:]
    ) async -> Answer {
        await send(.patch, target, json: json, bearer: bearer, headers: headers)
    }

    package func delete(
        _ target: String, json: JSON? = nil, bearer: String? = nil, headers: Headers = [:]
    ) async -> Answer {
        await send(.delete, target, json: json, bearer: bearer, headers: headers)
    }

    /// `text` and `bytes` are bodies that are not JSON; their media type is among the headers.
    package func send(
        _ method: HTTP.Method, _ target: String, json: JSON? = nil, text: String? = nil, bytes: [UInt8]? = nil,
        bearer: String? = nil, headers: Headers = [:], client: ClientAddress = .loopback
    ) async -> Answer {
        guard let parsed = Target(target) else { preconditionFailure("\(target) is no request target") }
        var all = self.headers
        for (name, value) in headers { all.set(name, value) }
        if let bearer { all.set("Authorization", "Bearer \(bearer)") }
        var body = bytes ?? text.map { Array($0.utf8) } ?? []
        if let json {
            all.set("Content-Type", "application/json")
            body = (try? JSONEncoder().encode(json)).map(Array.init) ?? []
        }
        let request = Request(
            method, parsed, headers: all, body: body, client: client, peerIsLoopback: client.isLoopback)
        var response = await router.respond(to: request)
        if case .download(let download) = response.body {
            var whole: [UInt8] = []
            while let piece = try? await download.next() { whole += piece }
            response.body = .bytes(whole)
        }
        return Answer(response)
    }
}

/// What a client got.
package struct Answer: Sendable {
    package let status: Status
    package let headers: Headers
    package let body: [UInt8]
    /// The body; null when it is not JSON.
    package let json: JSON

    init(_ response: Response) {
        status = response.status
        headers = response.headers
        body = response.body.content ?? []
        json = JSON(text: body) ?? .null
    }

    /// The problem's `code`.
    package var code: String? { json["code"].string }
}
