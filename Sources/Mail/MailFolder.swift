import Foundation

/// A folder that receives messages as `.eml` files, for those who run Anthill without a mail server.
package struct MailFolder: Sendable {
    private let folder: URL
    private let announce: @Sendable (String) -> Void

    private let announcesLinks: Bool

    /// Makes the folder, for its owner only. `announce` is called for each message; with its link only where nobody else
    /// can read what the program writes.
    package init(
        path: String, announcingLinks: Bool, announce: @escaping @Sendable (String) -> Void
    ) throws {
        folder = URL(fileURLWithPath: path, isDirectory: true)
        announcesLinks = announcingLinks
        self.announce = announce
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// The names of all messages, newest first.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter(Self.isName).sorted(by: >)
    }

    /// The message of this name; nil when there is none.
    package func read(_ name: String) -> StoredMessage? {
        guard Self.isName(name), let data = FileManager.default.contents(atPath: folder.appending(path: name).path)
        else { return nil }
        return StoredMessage(name: name, source: String(decoding: data, as: UTF8.self))
    }

    /// A reader sees the whole file or none: it is written under another name first.
    func deliver(_ bytes: [UInt8], _ message: Message) throws {
        let name = Self.newName()
        let draft = folder.appending(path: ".\(name).tmp")
        try Data(bytes).write(to: draft)
        try FileManager.default.moveItem(at: draft, to: folder.appending(path: name))
        let link = announcesLinks ? message.link : nil
        announce("mail to \(message.to.address): \(message.subject)" + (link.map { "\n  \($0)" } ?? ""))
    }

    /// Names sort by the time they were made, to the microsecond.
    private static func newName() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var fields = tm()
        gmtime_r(&now.tv_sec, &fields)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y%m%dT%H%M%S", &fields)
        let second = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fraction = String(String(1_000_000 + now.tv_nsec / 1000).dropFirst())
        return "\(second).\(fraction)-\(String(UInt32.random(in: 0 ... .max), radix: 16)).eml"
    }

    private static func isName(_ name: String) -> Bool {
        name.hasSuffix(".eml") && !name.hasPrefix(".")
            && name.utf8.allSatisfy {
                $0 < 0x80
                    && (Character(UnicodeScalar($0)).isLetter || $0 < 0x3A && $0 > 0x2F || $0 == 0x2E || $0 == 0x2D)
            }
    }
}
