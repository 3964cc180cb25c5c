/// Request counts of one loop for one route. Only that loop's thread counts, so it needs no lock.
package struct Tally: Sendable {
    /// The upper bounds of the histogram. A board may take 100 ms and a password 300 ms; without retries, a statement
    /// is answered within 5 s.
    package static let bounds: InlineArray<7, Duration> = [
        .milliseconds(1), .milliseconds(5), .milliseconds(20), .milliseconds(100), .milliseconds(300), .seconds(1),
        .seconds(5),
    ]

    /// Requests by the first digit of their status, from 1 on.
    package private(set) var statuses = InlineArray<5, Int>(repeating: 0)
    /// Requests by the first bound that they did not exceed; the last are those that exceeded all.
    package private(set) var slots = InlineArray<8, Int>(repeating: 0)
    /// How long all of them took together.
    package private(set) var time = Duration.zero

    /// How many requests there were.
    package var count: Int { slots.indices.reduce(0) { $0 + slots[$1] } }

    mutating func count(_ status: Status, _ duration: Duration) {
        statuses[min(max(status.code / 100, 1), 5) - 1] += 1
        var slot = 0
        while slot < 7, duration > Self.bounds[slot] { slot += 1 }
        slots[slot] += 1
        time += duration
    }

    mutating func add(_ other: Tally) {
        for index in statuses.indices { statuses[index] += other.statuses[index] }
        for index in slots.indices { slots[index] += other.slots[index] }
        time += other.time
    }
}

/// The key under which requests are counted; `-` if no route matched.
package struct RouteName: Hashable, Sendable {
    package let method: String
    package let route: String
}

/// What a server has counted since its start, and what it holds now.
package struct ServerFigures: Sendable {
    /// By the method and the pattern of the route; routes that nobody asked for are left out.
    package internal(set) var requests: [(name: RouteName, tally: Tally)]
    /// Open connections, and those of them that follow an event stream.
    package internal(set) var connections = 0
    package internal(set) var streams = 0
    /// Connections that were closed at once, because there were too many.
    package internal(set) var refusedConnections = 0
    /// The bytes that all connections keep in memory.
    package internal(set) var keptBytes: Int
    /// How long each loop took to turn to the question, by its index.
    package internal(set) var delays: [Int: Duration] = [:]
}
