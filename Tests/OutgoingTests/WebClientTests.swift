import Testing

@testable import Outgoing

@Suite struct WebClientTests {
    /// Why there was no answer. Nothing listens at these addresses.
    private func failure(_ url: String, _ source: WebClient.Source) async -> WebClient.Failure? {
        do {
            _ = try await WebClient(threads: 1, source: source).post(url, headers: [], body: [0, 1])
            return nil
        } catch {
            return error as? WebClient.Failure
        }
    }

    @Test(arguments: [
        "https://localhost:1/", "https://127.0.0.1:1/", "https://[::1]:1/", "https://[::ffff:127.0.0.1]:1/",
    ])
    func `the address behind a name decides, before anything is sent`(_ url: String) async {
        #expect(await failure(url, .anybody(orThisMachine: false))?.reason == .privateNetwork)
        #expect(await failure(url, .anybody(orThisMachine: true))?.reason == .connectionRefused)
        #expect(await failure(url, .operators)?.reason == .connectionRefused)
    }

    @Test(arguments: [
        "http://example.org/", "file:///etc/passwd", "https://user@example.org/", "https://", "ftp://localhost/",
    ])
    func `only https is asked`(_ url: String) async {
        #expect(await failure(url, .anybody(orThisMachine: true))?.description == "the address is not https")
        #expect(await failure(url, .operators)?.description == "the address is not https")
    }

    @Test(arguments: ["https://한국.invalid/", "https://example.invalid/a b"])
    func `an address may have letters that the wire has not`(_ url: String) async {
        #expect(WebClient(threads: 1, source: .operators).mayAsk(url))
        #expect(await failure(url, .operators)?.reason == .unknownHost)
    }

    @Test func `a stranger's address without TLS is for a service that only this machine reaches`() async {
        let url = "http://127.0.0.1:1/"
        #expect(await failure(url, .anybody(orThisMachine: false))?.description == "the address is not https")
        #expect(await failure(url, .anybody(orThisMachine: true))?.reason == .connectionRefused)
    }
}
