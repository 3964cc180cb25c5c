internal import CLinux
import Glibc

/// Process signals as events of a loop.
package enum Signals {
    /// Keeps `signals` from interrupting any thread, and ignores those that would end the program needlessly: a pipe that
    /// nobody reads, a closed terminal, the signals with which other programs reload. Call it before the first thread
    /// starts.
    package static func block(_ signals: [Int32]) {
        var set = signalSet(signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        for ignored in [SIGPIPE, SIGHUP, SIGUSR1, SIGUSR2] { signal(ignored, SIG_IGN) }
    }

    /// A source that, once added to a loop, calls `handler` with each of `signals` that arrives; they must be blocked.
    package static func source(_ signals: [Int32], handler: @escaping (Int32) -> Void) -> EventSource {
        var set = signalSet(signals)
        let descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        return EventSource(descriptor: descriptor) { _ in
            var info = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            while read(descriptor, &info, size) == size { handler(Int32(info.ssi_signo)) }
        }
    }
}

private func signalSet(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
}
