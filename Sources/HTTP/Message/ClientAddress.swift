import Glibc

/// An IPv4 or IPv6 address as 128 bits, IPv4 in its mapped form.
package struct ClientAddress: Hashable, Sendable {
    private let bits: UInt128

    private static let mapped: UInt128 = 0xFFFF << 32

    package static let loopback = ClientAddress(ipv4: 0x7F00_0001)

    package init(ipv4: UInt32) { bits = Self.mapped | UInt128(ipv4) }

    package init(ipv6: UInt128) { bits = ipv6 }

    /// Reads `192.0.2.1` or `2001:db8::1`; nil when it is neither.
    package init?(_ text: some StringProtocol) {
        var four = in_addr()
        var six = in6_addr()
        let text = String(text)
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(ipv4: UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(six)
        } else {
            return nil
        }
    }

    /// Reads an address as the socket calls have it; nil for what is none of the internet.
    package init?(socket: UnsafeRawPointer) {
        switch Int32(socket.load(as: sockaddr.self).sa_family) {
        case AF_INET: self.init(ipv4: UInt32(bigEndian: socket.load(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6: self.init(socket.load(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    private init(_ six: in6_addr) {
        bits = withUnsafeBytes(of: six) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    /// The address as the socket calls take it.
    var in6: in6_addr {
        var six = in6_addr()
        withUnsafeMutableBytes(of: &six) { $0.storeBytes(of: bits.bigEndian, as: UInt128.self) }
        return six
    }

    /// The last four bytes: the whole of an IPv4 address.
    var ipv4: UInt32 { UInt32(truncatingIfNeeded: bits) }

    package var isIPv4: Bool { bits >> 32 == 0xFFFF }

    package var isLoopback: Bool { isIPv4 ? bits & 0xFF00_0000 == 0x7F00_0000 : bits == 1 }

    /// The address in its usual notation.
    package var text: String {
        if isIPv4 {
            return "\(ipv4 >> 24).\(ipv4 >> 16 & 255).\(ipv4 >> 8 & 255).\(ipv4 & 255)"
        }
        var six = in6
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            inet_ntop(AF_INET6, &six, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) } ?? "::"
        }
    }

    /// What limits count by: an IPv4 address itself, or the /64 of an IPv6 address, since one person holds a whole one.
    package var limitKey: String { isIPv4 ? text : network.text + "/64" }

    /// The address, or the first of its /64.
    var network: ClientAddress { isIPv4 ? self : ClientAddress(ipv6: (bits >> 64) << 64) }

    /// The leading `count` bits, for comparing with a range.
    func prefix(_ count: Int) -> UInt128 {
        count == 0 ? 0 : bits >> (128 - count)
    }
}

/// A single address or a CIDR block such as `10.0.0.0/8`.
package struct AddressRange: Sendable, Hashable {
    private let address: ClientAddress
    private let length: Int

    /// Nil when the text is no address, or its length does not fit.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = ClientAddress(parts[0]) else { return nil }
        let width = address.isIPv4 ? 32 : 128
        guard let length = parts.count == 2 ? Int(parts[1]) : width, (0...width).contains(length) else { return nil }
        self.address = address
        self.length = length + 128 - width
    }

    package func contains(_ other: ClientAddress) -> Bool {
        address.prefix(length) == other.prefix(length)
    }
}
