import Foundation
import Reactor

// Before anything starts a thread.
Signals.block([SIGINT, SIGTERM])

do {
    try await Command(CommandLine.arguments.dropFirst()).run(environment: ProcessInfo.processInfo.environment)
} catch {
    FileHandle.standardError.write(Data("anthill: \(error)\n".utf8))
    exit(1)
}
