import Glibc
import Reactor
import Testing

struct DescriptorsTests {
    /// Descriptors of one file each, open at a place of their own.
    private func files(_ count: Int) -> [Int32] {
        (0..<count).map { place in
            let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
            lseek(file, off_t(place), SEEK_SET)
            return file
        }
    }

    @Test func `what is packed stays open and comes out in order`() throws {
        for count in [0, 1, 253, 254, 600] {
            let files = files(count)
            let pack = try #require(Descriptors.pack(files))
            for file in files { close(file) }
            let unpacked = Descriptors.unpack(pack)
            #expect(unpacked.map { lseek($0, 0, SEEK_CUR) } == (0..<count).map { off_t($0) })
            #expect(unpacked.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
            for file in unpacked { close(file) }
        }
    }

    @Test func `what cannot be packed leaves nothing behind`() {
        let files = files(1)
        #expect(Descriptors.pack(files + [-1]) == nil)
        #expect(fcntl(files[0], F_GETFD) == FD_CLOEXEC)
        close(files[0])
    }

    @Test func `a message reaches a socket by its path and by its abstract name`() throws {
        for path in ["/tmp/anthill-descriptors-\(getpid())", "@anthill-descriptors-\(getpid())"] {
            let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(receiver) }
            var address = sockaddr_un(sun_family: sa_family_t(AF_UNIX), sun_path: sockaddr_un().sun_path)
            withUnsafeMutableBytes(of: &address.sun_path) {
                $0.copyBytes(from: path.utf8)
                if path.hasPrefix("@") { $0[0] = 0 }
            }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(receiver, $0, length) }
            }
            try #require(bound == 0)
            defer { unlink(path) }
            #expect(Descriptors.send(with: "READY=1", to: path))
            var text = [UInt8](repeating: 0, count: 100)
            let count = recv(receiver, &text, text.count, 0)
            #expect(String(decoding: text.prefix(count), as: UTF8.self) == "READY=1")
        }
        #expect(!Descriptors.send(with: "READY=1", to: "/nonexistent"))
    }
}
