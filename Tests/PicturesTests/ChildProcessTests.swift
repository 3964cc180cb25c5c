import Glibc
import Testing

@testable import Pictures

@Suite struct ChildProcessTests {
    private func run(
        _ program: String, _ arguments: String..., input: [UInt8] = [], mostOutput: Int = 1 << 20,
        within time: Duration = .seconds(10)
    ) throws -> ChildProcess.Ending {
        try ChildProcess.run(program, arguments, input: input, mostOutput: mostOutput, within: time)
    }

    /// Keeps its output open until it ends; `cat` alone closes it before, and would be killed then.
    private static let echo = "cat; exit 0"

    @Test func `it is handed all bytes and all of its own come back`() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let ending = try run("/bin/sh", "-c", Self.echo, input: bytes, mostOutput: bytes.count)
        #expect(ending == .exited(0, output: bytes))
    }

    @Test func `one that is handed nothing is told so at once`() throws {
        #expect(try run("/bin/sh", "-c", Self.echo) == .exited(0, output: []))
    }

    @Test func `one that never ends is killed`() throws {
        let start = ContinuousClock.now
        #expect(try run("/bin/sh", "-c", "while :; do :; done", within: .milliseconds(300)) == .stopped)
        #expect(try run("/bin/sleep", "60", within: .milliseconds(300)) == .stopped)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `one that closes its output and goes on is killed`() throws {
        let ending = try run("/bin/sh", "-c", "exec 0<&- 1>&-; exec sleep 60")
        #expect(ending == .killed(by: SIGKILL))
    }

    @Test func `one that writes without end is killed`() throws {
        #expect(try run("/usr/bin/yes") == .stopped)
    }

    @Test func `one that reads nothing may still answer`() throws {
        let ending = try run("/bin/echo", "-n", "ant", input: [UInt8](repeating: 7, count: 5_000_000))
        #expect(ending == .exited(0, output: Array("ant".utf8)))
    }

    @Test func `how it ended is told`() throws {
        #expect(try run("/bin/sh", "-c", "exit 3") == .exited(3, output: []))
        #expect(try run("/bin/sh", "-c", "kill -SEGV $$") == .killed(by: SIGSEGV))
        #expect(throws: ChildProcess.Failure.self) { try run("/no/such/program") }
    }

    @Test func `it inherits no variable, no descriptor and no blocked signal`() throws {
        setenv("ANTHILL_TEST_SECRET", "do not tell", 1)
        let open = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(open) }
        let script = "env; ls /proc/$$/fd; exec grep -E '^Sig(Blk|Ign)' /proc/self/status"
        guard case .exited(0, let output) = try run("/bin/sh", "-c", script) else {
            Issue.record("the shell failed")
            return
        }
        let text = String(decoding: output, as: UTF8.self)
        #expect(!text.contains("ANTHILL"))
        #expect(!text.contains("\n\(open)\n"))
        // The C library keeps two signals for itself.
        #expect(text.contains("SigBlk:\t0000000000000000"))
        #expect(text.contains(#/SigIgn:\t0000000[01]80000000/#))
    }
}
