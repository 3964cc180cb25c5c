import HTTP
import Testing

@Suite struct ServerTests {
    @Test func `a request is answered and the connection stays`() async throws {
        try await TestServer.run { server in
            let client = try TestConnection(server)
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.receive(until: "hello").hasPrefix("HTTP/1.1 200 OK\r\n"))
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(client.receiveAll().hasSuffix("\r\n\r\nhello"))
        }
    }
}
