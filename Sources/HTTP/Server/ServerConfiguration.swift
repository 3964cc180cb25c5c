/// Where a server listens, and its limits. Deadlines are totals, not pauses between two bytes, except `writeDeadline`.
package struct ServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address; `::` takes both.
    package var host = "127.0.0.1"
    /// 0 lets the system choose.
    package var port = 8080
    /// A socket that listens already, handed over by the process that started this one; `host` and `port` do not count then.
    package var listener: Int32?
    /// Peers whose `X-Forwarded-For` is believed; the bounds per address and per client spare them.
    package var trustedProxies: [AddressRange] = []

    /// From the connection or a request's first byte to the end of its head.
    package var headDeadline = Duration.seconds(10)
    /// From the end of the head to the end of the body.
    package var bodyDeadline = Duration.seconds(20)
    /// Between two requests.
    package var idleDeadline = Duration.seconds(60)
    /// While the client takes no byte of the answer.
    package var writeDeadline = Duration.seconds(20)
    /// How long to go on reading after the last answer, so that the client can read it.
    package var lingerDeadline = Duration.seconds(2)
    /// How long running requests may take to finish when the server stops.
    package var stopDeadline = Duration.seconds(10)
    /// How long to stop accepting when descriptors have run out.
    package var acceptPause = Duration.milliseconds(200)

    package var backlog = 4096
    package var maxConnections = 20_000
    /// By IPv4 address or IPv6 /64.
    package var maxConnectionsPerAddress = 256
    /// A connection with more unsent bytes is not read from.
    package var maxUnsent = 256 * 1024
    /// The most bytes that all connections together may keep in memory: requests being read or answered, and answers
    /// that wait to be sent. Bodies may fill three quarters of it, and large bodies half, so that others always find
    /// room. A client may fill a quarter of each, by IPv4 address or IPv6 /64.
    package var maxKept = 64 * 1024 * 1024

    package init() {}

    /// How often deadlines are looked at: a quarter of the shortest, at most a second.
    var sweepInterval: Duration {
        let shortest = [headDeadline, bodyDeadline, idleDeadline, writeDeadline, lingerDeadline].min() ?? .seconds(4)
        return min(max(shortest / 4, .milliseconds(5)), .seconds(1))
    }

    /// Who sent the request: the peer, or behind trusted proxies the last address in `X-Forwarded-For` that is not one.
    func client(peer: ClientAddress, headers: Headers) -> ClientAddress {
        func isTrusted(_ address: ClientAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }
        guard isTrusted(peer) else { return peer }
        var client = peer
        for hop in headers.all("X-Forwarded-For").flatMap({ $0.split(separator: ",") }).reversed() {
            guard let address = ClientAddress(hop.trimmed) else { break }
            client = address
            if !isTrusted(address) { break }
        }
        return client
    }
}
