import Synchronization

/// A response that goes on: Server-Sent Events to one client, with a bounded buffer.
package final class EventStream: Sendable {
    private struct State {
        var unsent: [UInt8] = []
        var closed = false
    }

    private let state = Mutex(State())

    package init() {}
}
