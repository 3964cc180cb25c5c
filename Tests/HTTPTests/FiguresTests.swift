@testable import HTTP
import Testing

@Suite struct FiguresTests {
    @Test(arguments: [
        (Duration.zero, 0), (.microseconds(1000), 0), (.microseconds(1001), 1), (.milliseconds(100), 3),
        (.milliseconds(300), 4), (.seconds(5), 6), (.milliseconds(5001), 7), (.seconds(900), 7),
    ])
    func `a duration counts under the first bound that it does not exceed`(duration: Duration, slot: Int) {
        var tally = Tally()
        tally.count(.ok, duration)
        #expect(tally.slots.indices.map { tally.slots[$0] } == (0..<8).map { $0 == slot ? 1 : 0 })
        #expect(tally.time == duration && tally.count == 1)
    }

    @Test func `tallies of two loops add up`() {
        var (one, other) = (Tally(), Tally())
        one.count(.ok, .milliseconds(2))
        other.count(.ok, .milliseconds(3))
        other.count(.notFound, .seconds(2))
        one.add(other)
        #expect(one.statuses.indices.map { one.statuses[$0] } == [0, 2, 0, 1, 0])
        #expect(one.count == 3 && one.time == .milliseconds(2005))
    }

    private func ask(_ server: TestServer, _ lines: String) async throws {
        let client = try TestConnection(server)
        client.send("\(lines)\r\nHost: x\r\nConnection: close\r\n\r\n")
        _ = try await client.receiveAll()
    }

    @Test func `requests are counted by route, method and class of status, on all loops together`() async throws {
        try await TestServer.run { server in
            for _ in 0..<3 { try await ask(server, "GET /path/a HTTP/1.1") }
            try await ask(server, "GET /path/b HTTP/1.1")
            try await ask(server, "HEAD /path/c HTTP/1.1")
            try await ask(server, "GET /path/d?e=f HTTP/1.1")
            try await ask(server, "POST /path/a HTTP/1.1")
            try await ask(server, "GET /nothing HTTP/1.1")
            try await ask(server, "no request at all")
            let requests = await server.server.figures().requests
            let counts = Dictionary(
                uniqueKeysWithValues: requests.map { name, tally in
                    ("\(name.method) \(name.route)", tally.statuses.indices.map { tally.statuses[$0] })
                })
            // Two with the wrong method or no route, and one that cannot be read.
            #expect(counts == ["GET /path/{name}": [0, 5, 0, 1, 0], "- -": [0, 0, 0, 3, 0]])
            #expect(requests.allSatisfy { $0.tally.time > .zero || $0.name.route == "-" })
        }
    }

    @Test func `routes with one name are counted together`() async throws {
        let routes = ["/a", "/b"].map { Route(.get, $0, countedAs: "letters") { _ in .text("x") } }
        try await TestServer.run(routes) { server in
            try await ask(server, "GET /a HTTP/1.1")
            try await ask(server, "GET /b HTTP/1.1")
            let requests = await server.server.figures().requests
            #expect(requests.map(\.name) == [RouteName(method: "GET", route: "letters")])
            #expect(requests.map(\.tally.count) == [2])
            #expect(server.records.map(\.route) == ["/a", "/b"])
        }
    }

    @Test func `what is open now is told, and what was turned away`() async throws {
        let stream = EventStream()
        let routes = [Route(.get, "/stream") { _ in Response(body: .stream(stream)) }]
        try await TestServer.run(routes, { $0.maxConnections = 2 }) { server in
            let (follower, idle) = (try TestConnection(server), try TestConnection(server))
            await server.expectConnections(2)
            #expect(try await TestConnection(server).receiveAll() == "")
            follower.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            stream.send("here")
            _ = try await follower.receive(until: "data: here\n\n")
            let figures = await server.server.figures()
            #expect(figures.connections == 2 && figures.streams == 1 && figures.refusedConnections == 1)
            #expect(figures.delays.keys.sorted() == [0, 1] && figures.delays.values.allSatisfy { $0 > .zero })
            stream.close()
            _ = try await follower.receiveAll()
            withExtendedLifetime(idle) {}
            #expect(await server.server.figures().streams == 0)
        }
    }
}
