import API
import Foundation
import HTTP
import Postgres
import Synchronization
import Testing
import Time

@testable import Mail

@Suite final class MailFolderTests: Sendable {
    private let path: URL
    private let announced = Mutex<[String]>([])

    init() throws { path = try temporaryFolder() }

    deinit { try? FileManager.default.removeItem(at: path) }

    @Test func `messages are listed newest first and come back as they were written`() throws {
        let folder = try makeFolder()
        for language in [Language.en, .ko] {
            try send(sampleLetter(to: to, token: "T0", language: language), to: folder)
        }
        let messages = try folder.names().compactMap(folder.read)
        #expect(messages.map(\.subject) == ["공부 개미 가입을 마쳐 주세요", "Finish joining Anthill"])
        #expect(messages.map(\.to) == ["dodam@example.kr", "dodam@example.kr"])
        #expect(messages.map(\.date) == Array(repeating: "Sat, 21 Nov 2026 05:00:00 +0000", count: 2))
        #expect(messages[0].text == sampleLetter(to: to, token: "T0", language: .ko).text)
        #expect(messages[0].link == "https://anthill.example.org/welcome#token=T0")
    }

    @Test func `the console learns of the mail and its link`() throws {
        let folder = try makeFolder()
        try send(sampleLetter(to: to, token: "T0", language: .en), to: folder)
        #expect(
            announced.withLock { $0 } == [
                "mail to dodam@example.kr: Finish joining Anthill\n  https://anthill.example.org/welcome#token=T0"
            ])
    }

    @Test func `where others may read what the program writes, it writes no link`() throws {
        try send(sampleLetter(to: to, token: "T0", language: .en), to: makeFolder(announcingLinks: false))
        #expect(announced.withLock { $0 } == ["mail to dodam@example.kr: Finish joining Anthill"])
    }

    @Test func `the folder and what is in it are for its owner, and no draft is left or listed`() throws {
        let folder = try makeFolder()
        try send(sampleLetter(to: to, token: "T0", language: .en), to: folder)
        try Data("half".utf8).write(to: path.appending(path: "mail/.draft.eml.tmp"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path.appending(path: "mail").path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(try folder.names().count == 1)
    }

    @Test(arguments: ["../secret.eml", "/etc/passwd", "missing.eml", ".hidden.eml", "", "a/b.eml", "x.txt"])
    func `a name that is none of its messages reads nothing`(name: String) throws {
        try Data("Subject: secret\r\n\r\n".utf8).write(to: path.appending(path: "secret.eml"))
        let folder = try makeFolder()
        try Data("Subject: hidden\r\n\r\n".utf8).write(to: path.appending(path: "mail/.hidden.eml"))
        try Data("x".utf8).write(to: path.appending(path: "mail/x.txt"))
        #expect(folder.read(name) == nil)
    }

    @Test func `the page lists the mail, and each mail has a page with its link`() async throws {
        let folder = try makeFolder()
        try send(sampleLetter(to: to, token: "T0", language: .ko), to: folder)
        let name = try #require(try folder.names().first)
        let list = try await get("/dev/mail", folder)
        #expect(list.status == .ok)
        #expect(text(list).contains("<a href=\"/dev/mail/\(name)\"><b>공부 개미 가입을 마쳐 주세요</b></a>"))
        let page = try await get("/dev/mail/\(name)", folder)
        #expect(text(page).contains("<a href=\"https://anthill.example.org/welcome#token=T0\">"))
        for response in [list, page] {
            #expect(response.headers["Cache-Control"] == "no-store")
            #expect(response.headers["Content-Security-Policy"]?.contains("default-src 'self'") == true)
            #expect(!text(response).contains("style="))
            #expect(!text(response).contains("<script"))
        }
        #expect(try await get("/dev/mail/none.eml", folder).status == .notFound)
    }

    @Test func `what a mail says cannot become markup of the page`() async throws {
        let folder = try makeFolder()
        try send(Message(to: to, subject: "<b>&", text: "<script>\n\nhttp://x/\"><i>", html: ""), to: folder)
        let name = try #require(try folder.names().first)
        for path in ["/dev/mail", "/dev/mail/\(name)"] {
            let html = text(try await get(path, folder))
            #expect(!html.contains("<b>&<"))
            #expect(!html.contains("<script>"))
            #expect(!html.contains("<i>"))
        }
    }

    @Test(arguments: [
        (true, ["Host": "anthill.example.org"]), (true, ["Host": "localhost.example.org"]), (true, [:]),
        (false, ["Host": "localhost:8080"]), (true, ["Host": "localhost", "X-Forwarded-For": "127.0.0.1"]),
        (true, ["Host": "localhost", "Forwarded": "for=127.0.0.1"]), (true, ["Host": "localhost", "X-Real-IP": "::1"]),
        (true, ["Host": "localhost", "Via": "1.1 proxy"]), (true, ["Host": "localhost", "X-Forwarded-Proto": "https"]),
    ])
    func `to everybody but this machine the page is not there`(
        peerIsLoopback: Bool, headers: [String: String]
    ) async throws {
        let response = try await get("/dev/mail", makeFolder(), peerIsLoopback: peerIsLoopback, headers: headers)
        #expect(response.status == .notFound)
    }

    @Test(arguments: ["localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1:8080", "[::1]", "[::1]:8080"])
    func `this machine's own names open it`(host: String) async throws {
        #expect(try await get("/dev/mail", makeFolder(), headers: ["Host": host]).status == .ok)
    }

    private let to = Mailbox(address: "dodam@example.kr")!

    private func makeFolder(announcingLinks: Bool = true) throws -> MailFolder {
        try MailFolder(path: path.appending(path: "mail").path, announcingLinks: announcingLinks) { line in
            self.announced.withLock { $0.append(line) }
        }
    }

    private func send(_ message: Message, to folder: MailFolder) throws {
        try MailTransport.folder(folder).deliver(
            message, from: to, date: try #require(Instant(rfc3339: "2026-11-21T05:00:00Z")), id: "1")
    }

    private func get(
        _ path: String, _ folder: MailFolder, peerIsLoopback: Bool = true,
        headers: [String: String] = ["Host": "localhost:8080"]
    ) async throws -> Response {
        var fields = Headers()
        for (name, value) in headers { fields.add(name, value) }
        let target = try #require(Target(path))
        let request = Request(.get, target, headers: fields, peerIsLoopback: peerIsLoopback)
        return await Router(MailFolderRoutes(folder: folder).routes.map(\.route)).respond(to: request)
    }

    private func text(_ response: Response) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
