import HTTP
import Testing

@Suite struct RouterTests {
    private let router = Router([
        Route(.get, "/things/{id}", access: .anyone) { try .json(["id": $0.parameter("id")]) },
        Route(.delete, "/things/{id}", access: .anyone) { _ in .noContent },
        Route(.get, "/things/mine", access: .anyone) { _ in try .json(["id": "mine!"]) },
    ])

    @Test func `a literal segment goes before a parameter, and falls back to it for another method`() async {
        let mine = await router.respond(to: Request(.get, "/things/mine"))
        #expect(mine.text == #"{"id":"mine!"}"#)
        let other = await router.respond(to: Request(.get, "/things/a%2Fb"))
        #expect(other.text == #"{"id":"a/b"}"#)
        let deleted = await router.respond(to: Request(.delete, "/things/mine"))
        #expect(deleted.status == .noContent)
    }
}

extension Response {
    /// The body as text.
    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}
