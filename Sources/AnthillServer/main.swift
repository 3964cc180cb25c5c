import Dispatch
import Foundation
import Pictures
import Reactor

let command = Command(CommandLine.arguments.dropFirst())

// It confines its own thread, which must be the only one.
if case .picture(let side, let mostPixels) = command { PictureProcess.run(side: side, mostPixels: mostPixels) }

// Before anything starts a thread. The service ends in its own way; any other command just ends.
if case .serve = command { Signals.block([SIGINT, SIGTERM]) }

Task.detached {
    do {
        exit(try await command.run(environment: ProcessInfo.processInfo.environment))
    } catch {
        FileHandle.standardError.write(Data("anthill: \(AdminCommand.Failure(error))\n".utf8))
        exit(1)
    }
}
// Waited for, not awaited: an asynchronous main gives its thread to Dispatch, which unblocks every signal on it.
let end = DispatchSemaphore(value: 0)
end.wait()
