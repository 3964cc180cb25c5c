@testable import HTTP
import Testing

@Suite struct OccupancyTests {
    @Test func `an address has a bound of its own`() async throws {
        try await TestServer.run(TestServer.routes, { $0.maxConnectionsPerAddress = 2 }) { server in
            let (first, second) = (try TestConnection(server), try TestConnection(server))
            // Loops accept on their own: a later one could otherwise be let in before them.
            await server.expectConnections(2)
            #expect(try await TestConnection(server).receiveAll() == "")
            for client in [first, second] {
                client.send("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(try await client.receiveAll().hasSuffix("hello"))
            }
            await server.expectConnections(0)
            let third = try TestConnection(server)
            third.send("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try await third.receiveAll().hasSuffix("hello"))
        }
    }

    @Test func `trusted proxies have no bound but the common one`() throws {
        var configuration = ServerConfiguration()
        configuration.maxConnectionsPerAddress = 1
        configuration.maxConnections = 4
        configuration.trustedProxies = [try #require(AddressRange("10.0.0.0/8"))]
        let occupancy = Occupancy(configuration)
        let (proxy, person) = (try #require(ClientAddress("10.1.2.3")), try #require(ClientAddress("192.0.2.1")))
        #expect(occupancy.enter(proxy) && occupancy.enter(proxy) && occupancy.enter(person))
        #expect(!occupancy.enter(person))
        #expect(occupancy.enter(proxy))
        #expect(!occupancy.enter(proxy))
        occupancy.leave(person)
        #expect(occupancy.enter(person))
    }

    @Test func `the neighbours in an IPv6 network share its bound`() throws {
        var configuration = ServerConfiguration()
        configuration.maxConnectionsPerAddress = 1
        let occupancy = Occupancy(configuration)
        #expect(occupancy.enter(try #require(ClientAddress("2001:db8::1"))))
        #expect(!occupancy.enter(try #require(ClientAddress("2001:db8::2"))))
        #expect(occupancy.enter(try #require(ClientAddress("2001:db8:0:1::1"))))
    }

    @Test func `a client keeps a quarter at most, a trusted proxy all there is`() throws {
        var configuration = ServerConfiguration()
        configuration.trustedProxies = [try #require(AddressRange("10.0.0.0/8"))]
        let occupancy = Occupancy(configuration)
        let person = occupancy.share(of: try #require(ClientAddress("2001:db8::1")))
        #expect(occupancy.share(of: try #require(ClientAddress("2001:db8::2"))) === person)
        #expect(occupancy.keep(250, of: person, most: 1000))
        #expect(!occupancy.keep(1, of: person, most: 1000))
        #expect(occupancy.keptBytes == 250)
        let proxy = occupancy.share(of: try #require(ClientAddress("10.1.2.3")))
        #expect(occupancy.keep(750, of: proxy, most: 1000))
        #expect(!occupancy.keep(1, of: proxy, most: 1000))
        #expect(occupancy.keep(-250, of: person, most: 1000))
        #expect(occupancy.keep(250, of: person, most: 1000))
        #expect(occupancy.keptBytes == 1000)
    }
}
