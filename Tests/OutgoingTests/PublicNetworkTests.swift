import HTTP
import Testing

@testable import Outgoing

@Suite struct PublicNetworkTests {
    @Test(arguments: [
        "1.1.1.1", "142.250.206.10", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255",
        "223.255.255.255", "2606:4700::1111", "2a00:1450:400f::2001", "2001:4860:4860::8888",
    ])
    func `anybody can reach it`(_ address: String) throws {
        #expect(PublicNetwork.contains(try #require(ClientAddress(address))))
    }

    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1",
        "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.7",
        "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
        "::7f00:1", "64:ff9b::a00:1", "100::1", "2001::1", "2001:db8::1", "2002:a00:1::", "3fff::1", "fc00::1",
        "fd12:3456::1", "fe80::1", "ff02::1",
    ])
    func `it is somebody's own, or nobody's`(_ address: String) throws {
        #expect(!PublicNetwork.contains(try #require(ClientAddress(address))))
    }

    @Test(arguments: ["127.0.0.1", "::1", "10.0.0.1", "1.1.1.1"])
    func `the operator may mean any server, a stranger this machine only where nobody else can`(_ text: String) throws {
        let address = try #require(ClientAddress(text))
        #expect(WebClient.Source.operators.admits(address))
        #expect(WebClient.Source.anybody(orThisMachine: true).admits(address) == (text != "10.0.0.1"))
        #expect(WebClient.Source.anybody(orThisMachine: false).admits(address) == (text == "1.1.1.1"))
    }
}
