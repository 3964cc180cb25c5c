import Testing

@testable import AnthillServer

@Suite struct CommandTests {
    @Test func `words are taken for what they are`() {
        #expect(Command(["serve"]) == .serve)
        #expect(Command(["migrate"]) == .migrate(keepSignIns: false))
        #expect(Command(["migrate", "--keep-sign-ins"]) == .migrate(keepSignIns: true))
        #expect(Command(["migrate", "--keep"]) == .unknown("migrate --keep"))
        #expect(Command([String]()) == .help)
        #expect(Command(["--help"]) == .help)
        #expect(Command(["--version"]) == .version)
        #expect(Command(["version"]) == .version)
        #expect(Command(["demo", "--users", "1000"]) == .demo(users: 1000, force: false))
        #expect(Command(["demo", "--users", "5", "--force"]) == .demo(users: 5, force: true))
        #expect(Command(["demo", "--users", "-1"]) == .unknown("demo --users -1"))
        #expect(Command(["demo", "--users", "5", "now"]) == .unknown("demo --users 5 now"))
        #expect(Command(["demo", "--group"]) == .demoGroup)
        #expect(Command(["demo", "--group", "--force"]) == .unknown("demo --group --force"))
        #expect(Command(["link", "ant@example.org"]) == .admin(AdminCommand(task: .link(to: "ant@example.org"))))
        #expect(Command(["link"]) == .unknown("link"))
        #expect(Command(["link", "--help"]) == .unknown("link --help"))
        #expect(Command(["invite"]) == .invite(uses: nil, days: nil))
        #expect(Command(["invite", "--days", "3", "--uses", "1"]) == .invite(uses: 1, days: 3))
        #expect(Command(["invite", "--end"]) == .endInvitations)
        #expect(Command(["invite", "--end", "--uses", "1"]) == .unknown("invite --end --uses 1"))
        #expect(Command(["invite", "--uses", "0"]) == .invite(uses: 0, days: nil))
        #expect(Command(["invite", "--uses", "few"]) == .unknown("invite --uses few"))
        #expect(Command(["invite", "--uses"]) == .unknown("invite --uses"))
        #expect(Command(["bounce"]) == .bounce)
        #expect(Command(["bounce", "mail"]) == .unknown("bounce mail"))
        #expect(Command(["picture", "256", "1000"]) == .picture(side: 256, mostPixels: 1000))
        #expect(Command(["picture", "256", "0"]) == .unknown("picture 256 0"))
        #expect(Command(["serve", "now"]) == .unknown("serve now"))
    }

    @Test func `the help names every variable`() {
        for variable in Config.variables { #expect(Command.usage.contains(variable.name)) }
    }
}
