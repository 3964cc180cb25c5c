import Glibc
import HTTP
import Reactor

/// A test that waits for a server waits here: of the few threads that run tests, a stopping server needs one.
private let waiting = WorkerPool(threads: 32, queue: 1000, patience: .seconds(600))

/// A plain blocking client socket, off the loops.
final class TestConnection: Sendable {
    struct Failed: Error {}
    struct NothingCame: Error {}

    private let descriptor: Int32

    convenience init(_ server: TestServer) throws { try self.init(port: server.server.port) }

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failed() }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends all of it; false when the server does not take it.
    @discardableResult
    func send(_ text: some StringProtocol) -> Bool { send(Array(text.utf8)[...]) }

    @discardableResult
    func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// What has come, at least one byte; empty at the end.
    func receive() async throws -> [UInt8] { try await waiting.run { try self.receiveNow() } }

    private func receiveNow() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 && errno == EAGAIN { throw NothingCame() }
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// Everything up to the end of the connection.
    func receiveAll() async throws -> String {
        try await waiting.run {
            var all: [UInt8] = []
            while case let more = try self.receiveNow(), !more.isEmpty { all += more }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// Everything up to and with `end`.
    func receive(until end: String) async throws -> String {
        try await waiting.run {
            var all = ""
            while !all.hasSuffix(end) {
                let more = try self.receiveNow()
                guard !more.isEmpty else { break }
                all += String(decoding: more, as: UTF8.self)
            }
            return all
        }
    }

    func shutdownSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with a reset instead of an orderly end.
    func resetOnClose() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }
}
