/// What a descriptor is watched for, or what has happened on it.
package struct Events: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Events(rawValue: 0x001)
    package static let writable = Events(rawValue: 0x004)
    /// Reported without being asked for.
    package static let error = Events(rawValue: 0x008)
    /// Both directions are closed; reported without being asked for.
    package static let hangup = Events(rawValue: 0x010)
    /// Of several loops that watch one listener, wake one (`EPOLLEXCLUSIVE`).
    package static let exclusive = Events(rawValue: 1 << 28)
}

/// A file descriptor that a loop watches, and what is to be done when something happens on it. Only its loop's thread
/// touches it.
///
/// The loop keeps a source alive from `add` until the end of the turn in which it is removed, and calls no handler after
/// the removal: the handler may hold its owner `unowned`. Closing the descriptor is the owner's business.
package final class EventSource {
    package let descriptor: Int32
    /// What the loop watches it for now; empty when it is not registered.
    package internal(set) var interest: Events = []
    let handler: (Events) -> Void
    var isRegistered = false

    /// `handler` is called on the loop's thread with what has happened.
    package init(descriptor: Int32, handler: @escaping (Events) -> Void) {
        self.descriptor = descriptor
        self.handler = handler
    }
}
