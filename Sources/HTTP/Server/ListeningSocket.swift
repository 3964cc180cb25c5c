internal import CLinux
import Glibc

/// Why a server cannot listen, in one sentence.
package struct ListenError: Error, CustomStringConvertible {
    package let description: String
}

/// A TCP socket that takes connections.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    let port: Int

    init(_ configuration: ServerConfiguration) throws(ListenError) {
        let place = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        guard let address = ClientAddress(configuration.host) else {
            throw ListenError(description: "\(configuration.host) is not an IP address to listen on")
        }
        let family = configuration.host.contains(":") ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ListenError(description: "cannot open a socket: \(Self.reason)") }
        Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        // Accepted connections inherit it.
        Self.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        if family == AF_INET6 { Self.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        let bound = SocketAddress(address, port: configuration.port, family: family).with { bind(descriptor, $0, $1) }
        guard bound == 0, listen(descriptor, Int32(configuration.backlog)) == 0 else {
            let reason = errno == EADDRINUSE ? "is already in use" : "cannot be listened on: \(Self.reason)"
            close(descriptor)
            throw ListenError(description: "\(place):\(configuration.port) \(reason)")
        }
        self.descriptor = descriptor
        port = SocketAddress { getsockname(descriptor, $0, $1) }?.port ?? configuration.port
    }

    /// A socket that another process has opened, and keeps open while this one is away.
    init(inherited descriptor: Int32) throws(ListenError) {
        var (listens, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0, listens == 1,
            let address = SocketAddress({ getsockname(descriptor, $0, $1) }), address.isInternet
        else { throw ListenError(description: "the socket that was handed over is no TCP socket that listens") }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        Self.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        self.descriptor = descriptor
        port = address.port
    }

    /// Who is at the other end of a connection; nil when it is no longer one.
    static func peer(of connection: Int32) -> ClientAddress? {
        SocketAddress { getpeername(connection, $0, $1) }?.address
    }

    private static var reason: String { String(cString: strerror(errno)) }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    enum Accepted {
        case connection(Int32, ClientAddress)
        /// No connection is waiting.
        case nobody
        /// The waiting client has gone.
        case gone
        /// The process or the system has no descriptor or no memory left.
        case exhausted
    }

    func accept() -> Accepted {
        var connection: Int32 = -1
        let peer = SocketAddress { pointer, length in
            connection = anthill_accept(descriptor, pointer, length)
            return connection
        }
        if let peer { return .connection(connection, peer.address) }
        switch errno {
        case EAGAIN: return .nobody
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        default: return .gone
        }
    }
}

/// An address and a port as the socket calls take them.
private struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    init(_ address: ClientAddress, port: Int, family: Int32) {
        let port = in_port_t(truncatingIfNeeded: port).bigEndian
        withUnsafeMutableBytes(of: &storage) { bytes in
            if family == AF_INET6 {
                var six = sockaddr_in6()
                six.sin6_family = sa_family_t(AF_INET6)
                six.sin6_port = port
                six.sin6_addr = address.in6
                bytes.storeBytes(of: six, as: sockaddr_in6.self)
            } else {
                var four = sockaddr_in()
                four.sin_family = sa_family_t(AF_INET)
                four.sin_port = port
                four.sin_addr.s_addr = address.ipv4.bigEndian
                bytes.storeBytes(of: four, as: sockaddr_in.self)
            }
        }
        length = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    }

    /// What a call such as `getsockname` fills in; nil when it fails.
    init?(_ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
        }
        guard result >= 0 else { return nil }
    }

    func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    var isInternet: Bool { [AF_INET, AF_INET6].contains(Int32(storage.ss_family)) }

    var port: Int {
        let port = withUnsafeBytes(of: storage) {
            storage.ss_family == sa_family_t(AF_INET6)
                ? $0.load(as: sockaddr_in6.self).sin6_port : $0.load(as: sockaddr_in.self).sin_port
        }
        return Int(UInt16(bigEndian: port))
    }

    var address: ClientAddress {
        withUnsafeBytes(of: storage) { ClientAddress(socket: $0.baseAddress!) } ?? ClientAddress(ipv4: 0)
    }
}
