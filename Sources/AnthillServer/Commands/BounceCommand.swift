import Foundation
import Mail

extension Command {
    /// More than a mail of ours has, with the report around it.
    private static let longestBounce = 1_000_000

    /// Reads a mail that came back from the standard input, and returns the exit status. It is 3 for any other mail,
    /// which changes nothing and should be kept: a person may have written it.
    static func bounce(_ environment: [String: String]) async throws -> Int32 {
        let bytes = try FileHandle.standardInput.read(upToCount: longestBounce) ?? Data()
        guard let mail = ReturnedMail(String(decoding: bytes, as: UTF8.self)) else {
            say("This is no mail that came back because of its address. Nothing has changed.")
            return 3
        }
        let isNoted = try await on(environment) { try await mail.note(in: $0) }
        say(
            isNoted
                ? "Mail \(mail.id) came back. The owner of its address reads that it takes no mail."
                : "Nobody has the address of mail \(mail.id) now, or it was sent over 30 days ago. Nothing has changed."
        )
        return 0
    }
}
