@testable import AnthillServer
import Testing

struct SystemdTests {
    private func systemd(_ environment: [String: String], for process: String = "7") throws -> Systemd {
        try Systemd(environment: environment.merging(["LISTEN_PID": process]) { $1 }, process: 7)
    }

    @Test func `the first socket is descriptor 3, and kept connections are no socket to listen on`() throws {
        #expect(try systemd(["LISTEN_FDS": "1"]).listener == 3)
        let names = "connections:anthill.socket:connections"
        #expect(try systemd(["LISTEN_FDS": "3", "LISTEN_FDNAMES": names]).listener == 4)
        #expect(try systemd(["LISTEN_FDS": "0"]).listener == nil)
        #expect(try Systemd(environment: [:], process: 7).listener == nil)
    }

    @Test func `what is meant for another process is left alone`() throws {
        #expect(try systemd(["LISTEN_FDS": "1"], for: "8").listener == nil)
        #expect(try systemd(["LISTEN_FDS": "many"]).listener == nil)
    }

    @Test func `connections are kept where systemd holds the socket and hears about them`() throws {
        #expect(try systemd(["LISTEN_FDS": "1", "NOTIFY_SOCKET": "/run/notify"]).keepsConnections)
        #expect(try !systemd(["LISTEN_FDS": "1"]).keepsConnections)
        #expect(try !systemd(["NOTIFY_SOCKET": "/run/notify"]).keepsConnections)
    }

    @Test func `two sockets are refused`() {
        #expect(throws: Config.Refusal.self) { try systemd(["LISTEN_FDS": "2"]) }
    }
}
