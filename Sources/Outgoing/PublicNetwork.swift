import HTTP

extension WebClient.Source {
    /// Whether a server at that address may be asked.
    package func admits(_ address: ClientAddress) -> Bool {
        switch self {
        case .operators: true
        case .anybody(let orThisMachine): PublicNetwork.contains(address) || orThisMachine && address.isLoopback
        }
    }
}

/// The addresses that anybody can reach, and that belong to no network of somebody's own.
enum PublicNetwork {
    static func contains(_ address: ClientAddress) -> Bool {
        (address.isIPv4 || assigned.contains(address)) && !special.contains { $0.contains(address) }
    }

    /// The IPv6 range of public unicast addresses; everything else is special.
    private static let assigned = AddressRange("2000::/3")!

    /// IANA's registries of special-purpose addresses (RFC 6890), groups of receivers, and what wraps an IPv4 address.
    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].map { AddressRange($0)! }
}
