import Foundation
import Reactor

@testable import Mail

/// For what blocks: the threads that run tests are few, and other tests wait for them.
let blocking = WorkerPool(threads: 8, queue: 1000, patience: .seconds(120))

/// A real mail server (aiosmtpd) on loopback, which ends with its test.
final class SMTPServerProcess: @unchecked Sendable {
    enum Encryption: String { case startTLS = "starttls", implicit, none }

    /// What becomes of a message; see smtp_server.py.
    enum Step: String { case accept, refuse, reject, forbid, spurn, stall, hangUp = "hangup", closed }

    /// A message that the server took, as Python's e-mail package reads it.
    struct Accepted: Decodable {
        let mail_from: String
        let rcpt_tos: [String]
        let greeting: String
        let encrypted: Bool
        let user: String
        let subject: String
        let from: String
        let to: String
        let message_id: String
        let date: String
        let text: String
        let html: String
        let longest_line: Int
        let is_ascii: Bool
        let defects: [String]
    }

    struct DidNotStart: Error {}

    let port: Int
    private let process = Process()
    private let input = Pipe()
    private let folder: URL
    private let encryption: Encryption
    private let login: (user: String, password: String)?

    static func start(
        _ plan: Step..., encryption: Encryption = .none, login: (user: String, password: String)? = nil
    ) async throws -> SMTPServerProcess {
        try await blocking.run { try SMTPServerProcess(plan, encryption: encryption, login: login) }
    }

    private init(_ plan: [Step], encryption: Encryption, login: (user: String, password: String)?) throws {
        self.encryption = encryption
        self.login = login
        folder = try temporaryFolder()
        let output = Pipe()
        process.executableURL = Self.project.appending(path: ".venv/bin/python")
        var arguments = [Self.project.appending(path: "Tests/MailTests/smtp_server.py").path]
        arguments += ["--record", folder.appending(path: "record").path, "--tls", encryption.rawValue]
        if encryption != .none {
            try makeCertificate(in: folder)
            arguments += ["--certificate", folder.appending(path: "certificate.pem").path]
            arguments += ["--key", folder.appending(path: "key.pem").path]
        }
        if let login { arguments += ["--user", login.user, "--password", login.password] }
        process.arguments = arguments + plan.map(\.rawValue)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw DidNotStart() }
        self.port = port
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Where to reach it. `trusting` its certificate unless told otherwise.
    func address(host: String = "localhost", trusting: Bool = true, password: String? = nil) throws -> SMTPServer {
        let scheme = encryption == .implicit ? "smtps" : "smtp"
        let credentials = login.map { "\(escaped($0.user)):\(escaped(password ?? $0.password))@" } ?? ""
        let options =
            encryption == .none
            ? "?tls=none" : trusting ? "?ca=\(folder.appending(path: "certificate.pem").path)" : ""
        return try SMTPServer(url: "\(scheme)://\(credentials)\(host):\(port)\(options)")
    }

    /// What it has taken so far.
    func accepted() throws -> [Accepted] {
        guard let record = FileManager.default.contents(atPath: folder.appending(path: "record").path) else {
            return []
        }
        return try record.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Accepted.self, from: Data($0))
        }
    }

    private static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}

private func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
}

/// A folder for one test; who makes it removes it.
func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "anthill-mail-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

/// A self-signed certificate for localhost, and its key.
private func makeCertificate(in folder: URL) throws {
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/usr/bin/openssl")
    openssl.currentDirectoryURL = folder
    openssl.arguments =
        ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        + ["-keyout", "key.pem", "-out", "certificate.pem"]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
}
