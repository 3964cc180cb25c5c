internal import CLinux
import Glibc

/// Open descriptors that travel from one process to another, through Unix sockets.
package enum Descriptors {
    private static let mostAtOnce = Int(anthill_most_descriptors)

    /// Sends `text` and a few descriptors to the datagram socket at `path`; `@` begins an abstract name. Waits while its
    /// queue is full.
    @discardableResult
    package static func send(_ descriptors: [Int32] = [], with text: String, to path: String) -> Bool {
        let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard sender >= 0 else { return false }
        defer { close(sender) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: name)
            if path.hasPrefix("@") { place[0] = 0 }
        }
        // An abstract name has no zero at its end.
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(sender, $0, socklen_t(length)) }
        }
        return connected == 0 && send(descriptors[...], with: text, through: sender)
    }

    /// Packs open descriptors into one: copies of them wait in a socket's queue until a process unpacks them. Nil when
    /// the queue has no room for all of them.
    package static func pack(_ descriptors: [Int32]) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        defer { close(ends[0]) }
        var rest = descriptors[...]
        while !rest.isEmpty {
            guard send(rest.prefix(mostAtOnce), with: ".", through: ends[0], Int32(MSG_DONTWAIT)) else {
                close(ends[1])
                return nil
            }
            rest = rest.dropFirst(mostAtOnce)
        }
        return ends[1]
    }

    /// Takes out what is packed, and closes the pack.
    package static func unpack(_ pack: Int32) -> [Int32] {
        defer { close(pack) }
        var all: [Int32] = []
        var some = [Int32](repeating: -1, count: mostAtOnce)
        var count = 0
        while anthill_receive_descriptors(pack, &some, &count) > 0 { all += some[..<count] }
        return all
    }

    private static func send(
        _ descriptors: ArraySlice<Int32>, with text: String, through socket: Int32, _ flags: Int32 = 0
    ) -> Bool {
        let bytes = Array(text.utf8)
        return descriptors.withUnsafeBufferPointer {
            anthill_send_descriptors(socket, bytes, bytes.count, $0.baseAddress, $0.count, flags) == bytes.count
        }
    }
}
