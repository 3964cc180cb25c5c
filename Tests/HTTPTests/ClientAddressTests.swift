@testable import HTTP
import Testing

@Suite struct ClientAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", "192.0.2.1"), ("2001:DB8::0:1", "2001:db8::1", "2001:db8::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"), ("::1", "::1", "::/64"),
    ])
    func `an address has one notation and one key for limits`(written: String, text: String, key: String) throws {
        let address = try #require(ClientAddress(written))
        #expect(address.text == text)
        #expect(address.limitKey == key)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.4:80", "[::1]", "::1%lo", "256.0.0.1"])
    func `what is no address is none`(text: String) {
        #expect(ClientAddress(text) == nil)
    }

    @Test func `a range holds the addresses with its first bits`() throws {
        let ranges = try ["10.0.0.0/8", "2001:db8::/32", "192.0.2.1"].map { try #require(AddressRange($0)) }
        func isInside(_ text: String) throws -> Bool {
            let address = try #require(ClientAddress(text))
            return ranges.contains { $0.contains(address) }
        }
        #expect(try isInside("10.255.0.1") && isInside("::ffff:10.0.0.1") && isInside("2001:db8:1::1"))
        #expect(
            try isInside("192.0.2.1") && !isInside("192.0.2.2") && !isInside("11.0.0.1") && !isInside("2001:db9::1"))
        #expect(AddressRange("10.0.0.0/33") == nil && AddressRange("10.0.0.0/x") == nil && AddressRange("a/8") == nil)
        #expect(try #require(AddressRange("0.0.0.0/0")).contains(.loopback))
    }

    @Test(arguments: [
        ("203.0.113.9", ["1.2.3.4"], "203.0.113.9"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["1.2.3.4, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["1.2.3.4, 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7", "10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7, nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["10.0.0.3,10.0.0.2"], "10.0.0.3"),
    ])
    func `forwarded addresses count from the right, as far as proxies are trusted`(
        peer: String, forwarded: [String], client: String
    ) throws {
        var configuration = ServerConfiguration()
        configuration.trustedProxies = [try #require(AddressRange("10.0.0.0/8"))]
        var headers = Headers()
        for value in forwarded { headers.add("X-Forwarded-For", value) }
        #expect(configuration.client(peer: try #require(ClientAddress(peer)), headers: headers).text == client)
    }
}
