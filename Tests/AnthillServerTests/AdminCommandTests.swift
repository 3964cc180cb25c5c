import Foundation
import Schema
import Testing

@testable import AnthillServer

@Suite struct AdminCommandTests {
    @Test func `words of an admin are taken for what they are`() {
        #expect(Command(["admin", "doctor"]) == .admin(AdminCommand(task: .doctor(isQuick: false))))
        #expect(
            Command(["admin", "--json", "doctor", "--quick"])
                == .admin(AdminCommand(task: .doctor(isQuick: true), isJSON: true)))
        #expect(
            Command(["admin", "mail-test", "a@example.org"])
                == .admin(AdminCommand(task: .mailTest(address: "a@example.org"))))
        #expect(Command(["admin", "user", "show", "x"]) == .admin(AdminCommand(task: .showUser("x"))))
        #expect(
            Command(["admin", "user", "suspend", "--reason", "spam", "x", "--by", "Kim"])
                == .admin(AdminCommand(task: .change(.suspend, of: "x", reason: "spam"), by: "Kim")))
        #expect(
            Command(["admin", "user", "restore", "x", "--reason", "it was none"])
                == .admin(AdminCommand(task: .change(.restore, of: "x", reason: "it was none"))))
        #expect(Command(["admin", "stop-timers"]) == .admin(AdminCommand(task: .stopOverdueTimers)))
        #expect(
            Command(["admin", "stop-timers", "x", "--reason", "asked"])
                == .admin(AdminCommand(task: .change(.stopTimer, of: "x", reason: "asked"))))
        #expect(Command(["admin", "make-admin", "x"]) == .admin(AdminCommand(task: .makeAdmin("x"))))
        #expect(Command(["admin", "remove-admin", "x"]) == .admin(AdminCommand(task: .removeAdmin("x"))))
        #expect(Command(["admin", "link", "a@example.org"]) == Command(["link", "a@example.org"]))
        #expect(
            Command(["admin", "link", "a@example.org", "--json"])
                == .admin(AdminCommand(task: .link(to: "a@example.org"), isJSON: true)))
        #expect(Command(["admin"]) == .adminHelp)
        #expect(Command(["admin", "--help"]) == .adminHelp)
    }

    @Test(arguments: [
        ["doctor", "--quick", "--quick"], ["doctor", "now"], ["doctor", "--nonsense"], ["mail-test"],
        ["mail-test", "a@example.org", "--quick"], ["user", "show"], ["user"], ["link"], ["nonsense"], ["--json"],
        ["user", "suspend", "x"], ["user", "suspend", "x", "--reason"], ["user", "suspend", "x", "--reason", " "],
        ["user", "suspend", "x", "--reason", "a", "--reason", "b"], ["stop-timers", "--reason", "a"], ["make-admin"],
        ["remove-admin"],
        ["make-admin", "x", "--reason", "a"], ["doctor", "--by", "Kim"],
    ])
    func `what cannot be read is no command`(words: [String]) {
        #expect(Command(["admin"] + words) == .unknown((["admin"] + words).joined(separator: " ")))
    }

    @Test(arguments: [
        ("user suspend x", true), ("user restore x --by Kim", true), ("user suspend x --json", true),
        ("user suspend", false), ("user show", false), ("make-admin x", false), ("nonsense", false),
    ])
    func `a change without a reason is told what it lacks`(words: String, lacks: Bool) {
        #expect(AdminCommand.lacksReason("admin \(words)") == lacks)
    }

    @Test func `the exit status is that of the worst finding`() {
        let well = Finding("disk", .ok, "much")
        #expect(Health(findings: [well]).status.exitStatus == 0)
        #expect(Health(findings: [well, Finding("backup", .warning, "old"), well]).status.exitStatus == 1)
        let ill = Finding("rows", .critical, "3 rows", ["one", "two"])
        let health = Health(findings: [ill, Finding("backup", .warning, "old"), well])
        #expect(health.status.exitStatus == 2)
    }

    @Test func `findings are lines for a person and an object for a program`() throws {
        let health = Health(findings: [
            Finding("disk", .ok, "much"), Finding("rows", .critical, "2 rows", ["one"]),
        ])
        #expect(
            try health.answer.text
                == """
                ok        disk          much
                critical  rows          2 rows
                                        one
                """)
        #expect(
            try health.answer.json
                == #"{"checks":[{"check":"disk","details":[],"message":"much","status":"ok"},"#
                + #"{"check":"rows","details":["one"],"message":"2 rows","status":"critical"}],"status":"critical"}"#)
    }

    @Test func `the fullest disk decides, and each is told once`() {
        func room(_ folder: String, _ disk: dev_t, _ share: Double) -> Doctor.Room {
            Doctor.Room(folder: folder, disk: disk, bytes: share * 200e9, share: share)
        }
        let home = room("/home", 1, 0.5)
        #expect(Doctor.disk([home]) == Finding("disk", .ok, "100.0 GB (50 %) are free in /home"))
        #expect(
            Doctor.disk([home, room("/home/postgres", 1, 0.5), room("/data", 2, 0.0999)])
                == Finding(
                    "disk", .warning, "20.0 GB (9 %) are free in /data", ["100.0 GB (50 %) are free in /home"]))
        #expect(Doctor.disk([home, room("/backups", 3, 0.0299)]).status == .critical)
    }

    @Test func `clocks may be apart by half of the time that asking took`() {
        let agrees = Finding("clock", .ok, "this machine's clock agrees with the database's")
        #expect(Doctor.clock(1000, asked: 1000, answered: 1000.1) == agrees)
        #expect(Doctor.clock(1004.9, asked: 1000, answered: 1006) == agrees)
        #expect(Doctor.clock(998, asked: 1000, answered: 1000) == agrees)
        #expect(
            Doctor.clock(1003.5, asked: 1000, answered: 1000)
                == Finding("clock", .warning, "this machine's clock is 4 s from the database's"))
        #expect(Doctor.clock(939, asked: 1000, answered: 1000).status == .critical)
        #expect(Doctor.clock(1061, asked: 1000, answered: 1000).status == .critical)
    }

    @Test func `durations are told as people tell them`() {
        #expect(Duration.seconds(119).roughly == "119 s")
        #expect(Duration.seconds(120).roughly == "2 min")
        #expect(Duration.seconds(7200).roughly == "2 h")
        #expect(Duration.seconds(172_800).roughly == "2 days")
    }

    @Test func `every rule of the script is read`() throws {
        let text = try Schema.maintenance("check.sql")
        let script = CheckScript(text)
        // The first one is psql's: it sets a variable.
        #expect(script.queries.count == text.matches(of: #/(?m)^SELECT /#).count - 1)
        for rule in text.matches(of: #/(?m)^SELECT '[^']+'/#) {
            #expect(script.queries.contains { "\n\($0)".contains("\n\(rule.output)") })
        }
        for query in script.queries {
            #expect(query.firstMatch(of: #/(^|[^:]):['a-z]/#) == nil, "a variable is left in \(query)")
        }
    }
}
