import HTTP
import Testing

/// The same table against a server, over a socket.
@Suite(.serialized) struct WireTests {
    private static let server = Result {
        try TestServer(
            TestServer.routes + [Route(.get, "/probe") { _ in .text("probe") }]
        ) {
            $0.lingerDeadline = .seconds(60)
            $0.maxConnectionsPerAddress = 1000
        }
    }

    /// The statuses of all answers, and whether the last was the probe's.
    private func answers(to pieces: [ArraySlice<UInt8>]) async throws -> ([Int], String) {
        let client = try TestConnection(Self.server.get())
        for piece in pieces { client.send(piece) }
        client.shutdownSending()
        let text = try await client.receiveAll()
        let statuses = text.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
        return (statuses, text)
    }

    @Test(arguments: WireCase.table + WireCase.smuggling)
    func `a server answers the same however a request arrives`(wire: WireCase) async throws {
        let (statuses, text) = try await answers(to: [wire.input[...]])
        #expect(statuses == wire.statuses)
        #expect(text.hasSuffix("probe") == (wire.statuses.last == 200 && wire.statuses.count > 1))
        let length = max(1, wire.input.count / 1000)
        let small = stride(from: 0, to: wire.input.count, by: length).map { wire.input[$0...].prefix(length) }
        #expect(try await answers(to: small).0 == wire.statuses, "byte by byte")
        // The parser's own tests cut everywhere; here the connection's buffers are put to the test.
        let cuts = wire.cuts
        for cut in cuts where cut % max(1, cuts.count / 25) == 0 {
            let (inTwo, _) = try await answers(to: [wire.input[..<cut], wire.input[cut...]])
            try #require(inTwo == wire.statuses, "cut at \(cut)")
        }
    }
}
