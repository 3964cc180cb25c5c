extension Request {
    /// Whether it was made on this machine: from a loopback peer, to a local `Host`, with no proxy in between. Protects
    /// what is for the operator alone.
    package var isLocal: Bool {
        peerIsLoopback && ["localhost", "127.0.0.1", "[::1]"].contains(hostName) && !isForwarded
    }

    /// The `Host` without its port.
    private var hostName: String {
        let host = (headers["Host"] ?? "").lowercased()
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return host }
        return String(host[..<colon])
    }

    private var isForwarded: Bool {
        headers.contains {
            let name = $0.name.lowercased()
            return name.hasPrefix("x-forwarded-") || ["forwarded", "x-real-ip", "via"].contains(name)
        }
    }
}
