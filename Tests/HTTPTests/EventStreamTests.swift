import HTTP
import Synchronization
import Testing

@Suite(.serialized) struct EventStreamTests {
    /// A server that gives its last stream to the test.
    private final class Streams: Sendable {
        private let kept = Mutex<EventStream?>(nil)

        var last: EventStream? { kept.withLock { $0 } }

        var route: Route {
            Route(.get, "/events") { _ in
                let stream = EventStream()
                stream.send("welcome", event: "hello", id: "1")
                self.kept.withLock { $0 = stream }
                return Response(headers: ["Content-Type": "text/event-stream"], body: .stream(stream))
            }
        }
    }

    private let request = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `events arrive as they are sent, and the stream ends when it is closed`() async throws {
        let streams = Streams()
        try await TestServer.run([streams.route]) { server in
            let client = try TestConnection(server)
            client.send(request)
            let head = try await client.receive(until: "id: 1\nevent: hello\ndata: welcome\n\n")
            #expect(head.contains("\r\nContent-Type: text/event-stream\r\n") && !head.contains("Content-Length"))
            let stream = try #require(streams.last)
            #expect(stream.send("two\nlines"))
            #expect(try await client.receive(until: "\n\n") == "data: two\ndata: lines\n\n")
            // Whatever a client takes for the end of a line is one, and nothing else.
            stream.send("a\r\nb\rc\u{2028}d\n\n")
            #expect(try await client.receive(until: "\n\n") == "data: a\ndata: b\ndata: c\u{2028}d\ndata: \ndata: \n\n")
            stream.send("last")
            stream.close()
            #expect(try await client.receiveAll() == "data: last\n\n")
            #expect(!stream.send("too late"))
        }
    }

    @Test func `a stream learns that its client has gone`() async throws {
        let streams = Streams()
        try await TestServer.run([streams.route]) { server in
            var client: TestConnection? = try TestConnection(server)
            client?.send(request)
            _ = try await client?.receive(until: "\n\n")
            let stream = try #require(streams.last)
            await confirmation { gone in
                await withCheckedContinuation { continuation in
                    stream.onClose {
                        gone()
                        continuation.resume()
                    }
                    client = nil
                }
            }
            #expect(stream.isClosed)
            await server.expectConnections(0)
        }
    }

    @Test func `a client that does not read is dropped, and costs no more than the buffer`() async throws {
        let streams = Streams()
        try await TestServer.run([streams.route]) { server in
            let client = try TestConnection(server)
            client.send(request)
            _ = try await client.receive(until: "\n\n")
            let stream = try #require(streams.last)
            let event = String(repeating: "a", count: 1000)
            var sent = 0
            while sent < 100_000, stream.send(event) { sent += 1 }
            #expect(sent < 100_000)
            await server.expectConnections(0)
        }
    }

    @Test func `a stopping server ends its streams`() async throws {
        let streams = Streams()
        let server = try TestServer([streams.route])
        let client = try TestConnection(server)
        client.send(request)
        _ = try await client.receive(until: "\n\n")
        async let stopped: Void = server.server.stop()
        #expect(try await client.receiveAll() == "")
        await stopped
        #expect(try #require(streams.last).isClosed)
    }

    @Test func `HEAD of a stream has no stream`() async throws {
        let streams = Streams()
        try await TestServer.run([streams.route]) { server in
            let client = try TestConnection(server)
            client.send("HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.receiveAll().hasSuffix("\r\n\r\n"))
            #expect(try #require(streams.last).isClosed)
        }
    }
}
