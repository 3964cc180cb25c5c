import Foundation
import Mail

extension Command {
    /// More than a mail of ours has, with the report around it.
    private static let longestBounce = 1_000_000

    /// Reads a mail that came back from the standard input. Any other mail changes nothing, and is no error: whoever
    /// hands mail over would try again.
    static func bounce(_ environment: [String: String]) async throws {
        let bytes = try FileHandle.standardInput.read(upToCount: longestBounce) ?? Data()
        guard let mail = ReturnedMail(String(decoding: bytes, as: UTF8.self)) else {
            return say("This is no mail that came back because of its address. Nothing has changed.")
        }
        let isNoted = try await on(environment) { try await mail.note(in: $0) }
        say(
            isNoted
                ? "Mail \(mail.id) came back. The owner of its address reads that it takes no mail."
                : "Nobody has the address of mail \(mail.id) now, or it was sent over 30 days ago. Nothing has changed."
        )
    }
}
