import Dispatch
import Foundation
import Pictures
import Postgres
import Reactor

let command = Command(CommandLine.arguments.dropFirst())

// It confines its own thread, which must be the only one.
if case .picture(let side, let mostPixels) = command { PictureProcess.run(side: side, mostPixels: mostPixels) }

// Before anything starts a thread.
Signals.block([SIGINT, SIGTERM])

// Waited for, not awaited: an asynchronous main gives its thread to Dispatch, which unblocks every signal on it.
let ended = DispatchSemaphore(value: 0)
Task.detached {
    do {
        try await command.run(environment: ProcessInfo.processInfo.environment)
    } catch {
        let isAway = (error as? PostgresError)?.sqlstate.hasPrefix("08") == true
        FileHandle.standardError.write(Data("anthill: \(isAway ? "DATABASE_URL: " : "")\(error)\n".utf8))
        exit(1)
    }
    ended.signal()
}
ended.wait()
