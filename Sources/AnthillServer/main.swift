import Dispatch
import Foundation
import Postgres
import Reactor

// Before anything starts a thread.
Signals.block([SIGINT, SIGTERM])

// Waited for, not awaited: an asynchronous main gives its thread to Dispatch, which unblocks every signal on it.
let ended = DispatchSemaphore(value: 0)
Task.detached {
    do {
        try await Command(CommandLine.arguments.dropFirst()).run(environment: ProcessInfo.processInfo.environment)
    } catch {
        let isAway = (error as? PostgresError)?.sqlstate.hasPrefix("08") == true
        FileHandle.standardError.write(Data("anthill: \(isAway ? "DATABASE_URL: " : "")\(error)\n".utf8))
        exit(1)
    }
    ended.signal()
}
ended.wait()
