import Foundation
import HTTP
import Reactor
import Testing

@Suite(.serialized) struct ServerTests {
    @Test func `a request is answered and the connection stays`() async throws {
        try await TestServer.run { server in
            let client = try TestConnection(server)
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.receive(until: "hello").hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let last = try await client.receiveAll()
            #expect(last.contains("\r\nConnection: close\r\n"))
            #expect(last.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test func `HTTP 1.0 is told whether its connection stays`() async throws {
        try await TestServer.run { server in
            let client = try TestConnection(server)
            client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try await client.receive(until: "hello").contains("\r\nConnection: keep-alive\r\n"))
            client.send("GET /hello HTTP/1.0\r\n\r\n")
            #expect(try await client.receiveAll().contains("\r\nConnection: close\r\n"))
        }
    }

    @Test func `pipelined requests are answered in order, also when the first takes longer`() async throws {
        let routes = [
            Route(.get, "/slow") { _ in
                try await Task.sleep(for: .milliseconds(30))
                return .text("slow;")
            },
            Route(.get, "/quick/{n}") { .text($0.parameter("n") + ";") },
        ]
        try await TestServer.run(routes) { server in
            let client = try TestConnection(server)
            let quick = (1...50).map { "GET /quick/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
            client.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" + quick)
            client.shutdownSending()
            let bodies = try await client.receiveAll().components(separatedBy: "\r\n\r\n").dropFirst().map {
                $0.prefix { $0 != ";" }
            }
            #expect(bodies == ["slow"] + (1...50).map { "\($0)" })
        }
    }

    @Test func `a thousand pipelined requests are answered in order, wherever they are cut`() async throws {
        try await TestServer.run { server in
            let client = try TestConnection(server)
            let names = (0..<1000).map { "name-\($0)" }
            let requests = Array(names.map { "GET /path/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined().utf8)
            var random = SplitMix(state: 1)
            var rest = requests[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...3000, using: &random))
                client.send(piece)
                rest = rest.dropFirst(piece.count)
            }
            client.shutdownSending()
            #expect(try await client.receiveAll().matches(of: /name-\d+/).map { String($0.output) } == names)
        }
    }

    @Test func `HEAD has the headers of GET and no body`() async throws {
        try await TestServer.run { server in
            let client = try TestConnection(server)
            client.send("HEAD /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let answer = try await client.receiveAll()
            #expect(answer.contains("\r\nContent-Length: 5\r\n"))
            #expect(answer.contains("\r\nETag: "))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `an answer that shares its beginning with others arrives whole, and once`() async throws {
        let shared = SharedText(Array(#"{"a":1,"#.utf8))
        let routes = [
            Route(.get, "/{me}") { .json(shared, Array(#""me":"\#($0.parameter("me"))"}"#.utf8), for: $0) },
            Route(.get, "/large") {
                .json(SharedText([UInt8](repeating: UInt8(ascii: "x"), count: 70_000)), Array("rest".utf8), for: $0)
            },
        ]
        try await TestServer.run(routes) { server in
            func answer(_ head: String) async throws -> String {
                let client = try TestConnection(server)
                client.send("\(head)\r\nHost: x\r\nConnection: close\r\n\r\n")
                return try await client.receiveAll()
            }
            let whole = try await answer("GET /ant HTTP/1.1")
            #expect(whole.contains("\r\nContent-Length: 18\r\n"))
            #expect(whole.hasSuffix("\r\n\r\n" + #"{"a":1,"me":"ant"}"#))
            let head = try await answer("HEAD /ant HTTP/1.1")
            #expect(head.contains("\r\nContent-Length: 18\r\n") && head.hasSuffix("\r\n\r\n"))
            let tag = try #require(whole.firstMatch(of: /ETag: (\S+)/)).1
            let again = try await answer("GET /ant HTTP/1.1\r\nIf-None-Match: \(tag)")
            #expect(again.hasPrefix("HTTP/1.1 304 ") && again.hasSuffix("\r\n\r\n"))
            #expect(try await answer("GET /bee HTTP/1.1\r\nIf-None-Match: \(tag)").hasPrefix("HTTP/1.1 200 "))
            let large = try await answer("GET /large HTTP/1.1")
            #expect(large.contains("\r\nContent-Length: 70004\r\n") && large.hasSuffix("xrest"))
            #expect(large.components(separatedBy: "\r\n\r\n").last?.count == 70_004)
        }
    }

    @Test func `a client that expects 100 gets it before it sends the body`() async throws {
        try await TestServer.run { server in
            let client = try TestConnection(server)
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("hello")
            #expect(try await client.receive(until: "hello").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `a request is answered after the client has shut its sending side`() async throws {
        let routes = [
            Route(.post, "/slow") { request in
                try await Task.sleep(for: .milliseconds(30))
                return .text(String(decoding: request.body, as: UTF8.self))
            }
        ]
        try await TestServer.run(routes) { server in
            let client = try TestConnection(server)
            client.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
            client.shutdownSending()
            #expect(try await client.receiveAll().hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test(arguments: [
        "Content-Length: 1000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nf4240\r\n",
        "Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n",
    ])
    func `a client that sends too much can read the 413`(head: String) async throws {
        try await TestServer.run(TestServer.routes, { $0.lingerDeadline = .seconds(60) }) { server in
            let client = try TestConnection(server)
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nAccept-Language: ko\r\n" + head)
            client.send(String(repeating: "a", count: 1_000_000))
            let answer = try await client.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
            #expect(answer.contains("\r\nConnection: close\r\n"))
            #expect(answer.contains("보낸 내용이 너무 커요."))
        }
    }

    @Test func `a large body arrives whole at a client that reads slowly`() async throws {
        let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let routes = [
            Route(.get, "/large") { _ in Response(body: .bytes(large)) },
            Route(.get, "/hello") { _ in .text("hello") },
        ]
        try await TestServer.run(routes) { server in
            let client = try TestConnection(server)
            client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            client.shutdownSending()
            try await Task.sleep(for: .milliseconds(50))
            var all: [UInt8] = []
            while case let more = try await client.receive(), !more.isEmpty { all += more }
            let start = try #require(all.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
            #expect(all[start...].starts(with: large))
            #expect(String(decoding: all[(start + large.count)...], as: UTF8.self).hasSuffix("hello"))
        }
    }

    @Test func `a handler stays on one loop`() async throws {
        let routes = [
            Route(.get, "/loop") { _ in
                let before = EventLoop.current?.index
                try await Task.sleep(for: .milliseconds(1))
                return .text(before != nil && before == EventLoop.current?.index ? "same" : "other")
            }
        ]
        try await TestServer.run(routes) { server in
            for _ in 0..<4 {
                let client = try TestConnection(server)
                client.send("GET /loop HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(try await client.receiveAll().hasSuffix("same"))
            }
        }
    }

    @Test func `each answer leaves a record with its pattern, not its path`() async throws {
        try await TestServer.run { server in
            let client = try TestConnection(server)
            client.send("GET /path/secret HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n")
            _ = try await client.receiveAll()
            let (first, last) = try (#require(server.records.first), #require(server.records.last))
            #expect(first.method == "GET" && first.route == "/path/{name}" && first.status == .ok && first.bytes == 6)
            #expect(last.method == "-" && last.route == "-" && last.status == .badRequest)
            #expect(first.client == .loopback && first.id != last.id && first.id.count == 13)
        }
    }

    @Test func `an IPv4 client of a server on every address keeps its IPv4 address`() async throws {
        try await TestServer.run(TestServer.routes, { $0.host = "::" }) { server in
            let client = try TestConnection(server)
            client.send("GET /hello HTTP/1.0\r\n\r\n")
            #expect(try await client.receiveAll().hasSuffix("hello"))
            #expect(server.records.first?.client.text == "127.0.0.1")
        }
    }

    @Test func `a 204 has neither body nor length`() async throws {
        let routes = [Route(.get, "/") { _ in Response(.noContent, body: .bytes([97])) }]
        try await TestServer.run(routes) { server in
            let client = try TestConnection(server)
            client.send("GET / HTTP/1.0\r\n\r\n")
            let answer = try await client.receiveAll()
            #expect(answer.hasSuffix("\r\n\r\n") && !answer.contains("Content-Length"))
        }
    }

    @Test func `an address in use is one clear sentence`() async throws {
        try await TestServer.run { server in
            var configuration = ServerConfiguration()
            configuration.port = server.server.port
            let second = Server(configuration, group: TestServer.group, router: Router([])) { _ in }
            let error = #expect(throws: ListenError.self) { try second.start() }
            #expect(error?.description == "127.0.0.1:\(server.server.port) is already in use")
        }
    }

    @Test func `three hundred clients that reset in mid-answer leave the others unharmed`() async throws {
        let large = Response(headers: ["ETag": "\"large\""], body: .bytes([UInt8](repeating: 97, count: 1_000_000)))
        let routes = TestServer.routes + [Route(.get, "/large") { _ in large }]
        try await TestServer.run(routes, { $0.maxConnectionsPerAddress = 1000 }) { server in
            let steady = try TestConnection(server)
            let clients = try (0..<300).map { _ in try TestConnection(server) }
            for client in clients { client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n") }
            for client in clients {
                _ = try await client.receive()
                client.resetOnClose()
            }
            steady.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await steady.receive(until: "hello").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }
}
