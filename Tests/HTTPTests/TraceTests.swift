@testable import HTTP
import Testing

@Suite struct TraceTests {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let parent = "00f067aa0ba902b7"

    @Test(arguments: [
        "00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-00", "00-\(trace)-\(parent)-ff",
        "cc-\(trace)-\(parent)-01-what-the-future-will-be-like", "cc-\(trace)-\(parent)-01",
    ])
    func `a valid traceparent is taken over`(traceparent: String) {
        #expect(TraceID(traceparent: traceparent)?.text == Self.trace)
    }

    @Test(arguments: [
        "", "00", trace, "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-1", "00-\(trace)-\(parent)-01-",
        "00-\(trace)-\(parent)-01-more", "ff-\(trace)-\(parent)-01", "cc-\(trace)-\(parent)-01more",
        "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01", "00-\(trace)-\(parent)-0G",
        "0x-\(trace)-\(parent)-01", "00_\(trace)_\(parent)_01", "00-\(trace)-\(String(repeating: "0", count: 16))-01",
        "00-\(String(repeating: "0", count: 32))-\(parent)-01", "00-\(trace.dropLast())-\(parent)0-01",
        "00-\(trace.dropLast())한-\(parent)-01",
    ])
    func `anything else is not`(traceparent: String) {
        #expect(TraceID(traceparent: traceparent) == nil)
    }

    @Test func `a trace's number keeps its zeros in front`() {
        #expect(TraceID(bits: 0xA1).text == String(repeating: "0", count: 30) + "a1")
    }

    @Test func `the record of a request has its trace, one of its own when none or two came`() async throws {
        try await TestServer.run { server in
            let line = "traceparent: 00-\(Self.trace)-\(Self.parent)-01\r\n"
            for lines in ["", line, line + line] {
                let client = try TestConnection(server)
                client.send("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(lines)\r\n")
                #expect(try await client.receiveAll().hasSuffix("hello"))
            }
            let traces = server.records.map(\.trace.text)
            #expect(traces.count == 3 && traces[1] == Self.trace && Set(traces).count == 3)
            #expect(traces.allSatisfy { $0.count == 32 })
        }
    }

    @Test func `a handler knows the trace of its request`() async throws {
        let routes = [Route(.get, "/trace") { .text($0.trace.text) }]
        try await TestServer.run(routes) { server in
            let client = try TestConnection(server)
            client.send(
                "GET /trace HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTraceParent: 00-\(Self.trace)-\(Self.parent)-01\r\n\r\n"
            )
            #expect(try await client.receiveAll().hasSuffix(Self.trace))
        }
    }
}
