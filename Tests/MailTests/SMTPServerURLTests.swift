import Testing

@testable import Mail

@Suite struct SMTPServerURLTests {
    @Test func `encryption is the default, and the port follows it`() throws {
        let submission = try SMTPServer(url: "smtp://mail.example.org")
        #expect(submission.encryption == .startTLS)
        #expect(submission.port == 587)
        let implicit = try SMTPServer(url: "smtps://mail.example.org")
        #expect(implicit.encryption == .implicit)
        #expect(implicit.port == 465)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::1]"])
    func `mail in the clear is for this machine`(host: String) throws {
        let server = try SMTPServer(url: "smtp://\(host):1025?tls=none")
        #expect(server.encryption == .none)
        #expect(server.port == 1025)
    }

    @Test func `user and password are decoded`() throws {
        let server = try SMTPServer(url: "smtps://a%40b:p%2Fw@mail.example.org?ca=\(#filePath)")
        #expect(server.user == "a@b")
        #expect(server.password == "p/w")
        #expect(server.authorities == #filePath)
    }

    @Test(arguments: [
        "", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://mail.example.org?tls=none",
        "smtp://localhost.example.org?tls=none", "smtps://localhost?tls=none", "smtp://mail.example.org?tls=maybe",
        "smtp://mail.example.org?x=y", "smtp://mail.example.org/path", "smtp://user@mail.example.org",
        "smtp://mail.example.org#x", "smtp://u:secret@mail.example.org?tls=none", "smtp://mail.example.org:70000",
        "smtp://mail.example.org:0", "smtp://mail.example.org?ca=/nowhere", "smtp://u:secret%zz@mail.example.org",
    ])
    func `anything else is refused with a sentence that holds no password`(url: String) {
        let error = #expect(throws: MailConfigurationError.self) { try SMTPServer(url: url) }
        #expect(error?.description.isEmpty == false)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: ["u:sec/ret", "u:sec#ret", "u:secret%", "u:sec/ret@x:y"])
    func `who did not escape a password is told how to`(login: String) {
        let error = #expect(throws: MailConfigurationError.self) { try SMTPServer(url: "smtp://\(login)@host:587") }
        #expect(error?.description.hasSuffix("write @ / # % : as %40 %2F %23 %25 %3A") == true)
        #expect(error?.description.contains("ret") == false)
    }
}
