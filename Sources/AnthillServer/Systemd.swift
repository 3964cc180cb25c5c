import Glibc
import Reactor

/// systemd, or another program that starts this one as systemd does. It holds the listening socket, so that clients wait
/// while the program restarts instead of being refused. It is told when the program is ready, and keeps the idle
/// connections meanwhile: sd_listen_fds(3), sd_notify(3).
struct Systemd {
    /// The socket to listen on.
    let listener: Int32?
    /// Idle connections from before, packed.
    private let packs: [Int32]
    private let notifications: String?
    private static let packName = "connections"

    init(environment: [String: String], process: Int32 = getpid()) throws(Config.Refusal) {
        let isMeant = environment["LISTEN_PID"].flatMap(Int32.init) == process
        let count = isMeant ? Int32(environment["LISTEN_FDS"] ?? "") ?? 0 : 0
        let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        var (listeners, packs): ([Int32], [Int32]) = ([], [])
        for place in 0..<Int(max(count, 0)) {
            let isPack = place < names.count && names[place] == Systemd.packName
            // The first is number 3.
            if isPack { packs.append(Int32(3 + place)) } else { listeners.append(Int32(3 + place)) }
        }
        guard listeners.count <= 1 else {
            throw Config.Refusal(variable: "LISTEN_FDS", reason: "is \(listeners.count); Anthill listens on one socket")
        }
        listener = listeners.first
        self.packs = packs
        notifications = environment["NOTIFY_SOCKET"]
    }

    /// Whether it can keep connections while the program is away.
    var keepsConnections: Bool { listener != nil && notifications != nil }

    /// The connections that it has kept.
    func connections() -> [Int32] { packs.flatMap(Descriptors.unpack) }

    /// The program answers, and has the connections that were kept.
    func ready() { notify("READY=1\nFDSTOREREMOVE=1\nFDNAME=\(Systemd.packName)") }

    /// The program ends, and leaves these connections to the next start.
    func keep(_ connections: [Int32]) {
        defer { for connection in connections { close(connection) } }
        guard !connections.isEmpty, let pack = Descriptors.pack(connections) else { return }
        // The pack's other end is closed, so it looks dead: systemd must not watch it.
        notify("FDSTORE=1\nFDPOLL=0\nFDNAME=\(Systemd.packName)", [pack])
        close(pack)
    }

    private func notify(_ text: String, _ descriptors: [Int32] = []) {
        guard let notifications else { return }
        Descriptors.send(descriptors, with: text, to: notifications)
    }
}
