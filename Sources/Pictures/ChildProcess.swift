internal import CLinux
import Glibc

/// A process that is given bytes and answers bytes. It inherits nothing else: no descriptor, no variable, no signal mask.
enum ChildProcess {
    enum Ending: Equatable {
        case exited(Int32, output: [UInt8])
        case killed(by: Int32)
        /// It took longer or wrote more than it may, and was killed.
        case stopped
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts `program`, hands it `input` and waits for its end. Holds up the thread meanwhile.
    static func run(
        _ program: String, _ arguments: [String], input: [UInt8], mostOutput: Int, within time: Duration
    ) throws -> Ending {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(description: "no socket for \(program): \(errno)")
        }
        defer { close(ends[0]) }
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try start(program, arguments, descriptor: ends[1])
        }
        let output = talk(on: ends[0], input, mostOutput, until: .now + time)
        // A process that has ended keeps its exit status. One that has closed its output but goes on is killed.
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Failure(description: "lost \(program): \(errno)") }
        }
        guard let output else { return .stopped }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF, output: output) : .killed(by: status & 0x7F)
    }

    private static func start(_ program: String, _ arguments: [String], descriptor: Int32) throws -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_adddup2(&files, descriptor, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&files, descriptor, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A group of its own: Ctrl-C in a terminal is for the service, which finishes what it has begun.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        let words = (["anthill"] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var process: pid_t = 0
        let error = posix_spawn(&process, program, &files, &attributes, words + [nil], &environment)
        guard error == 0 else { throw Failure(description: "cannot start \(program): \(error)") }
        return process
    }

    /// Sends all of `input` and answers all that comes back; nil when that is too much or takes too long.
    private static func talk(
        on socket: Int32, _ input: [UInt8], _ most: Int, until latest: ContinuousClock.Instant
    ) -> [UInt8]? {
        var (unsent, output) = (input[...], [UInt8]())
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        if unsent.isEmpty { shutdown(socket, Int32(SHUT_WR)) }
        while true {
            let left = Int32((latest - .now) / .milliseconds(1))
            var event = pollfd(fd: socket, events: Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
            guard left > 0, poll(&event, 1, left) > 0 else {
                if left > 0, errno == EINTR { continue }
                return nil
            }
            if event.revents & Int16(POLLOUT) != 0 {
                let count = unsent.withUnsafeBytes { bytes in
                    send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                // One that reads no more may still have said something.
                unsent = count < 0 && errno != EAGAIN ? [] : unsent.dropFirst(max(count, 0))
                if unsent.isEmpty { shutdown(socket, Int32(SHUT_WR)) }
            }
            guard event.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { continue }
            let count = recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
            if count == 0 { return output }
            if count < 0 {
                if errno == EAGAIN || errno == EINTR { continue }
                // It ended before it had read everything.
                return output
            }
            output += piece[..<count]
            if output.count > most { return nil }
        }
    }
}
