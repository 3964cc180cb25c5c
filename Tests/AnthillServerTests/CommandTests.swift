import Testing

@testable import AnthillServer

@Suite struct CommandTests {
    @Test func `words are taken for what they are`() {
        #expect(Command(["serve"]) == .serve)
        #expect(Command(["migrate"]) == .migrate)
        #expect(Command([String]()) == .help)
        #expect(Command(["--help"]) == .help)
        #expect(Command(["serve", "now"]) == .unknown("serve now"))
    }

    @Test func `the help names every variable`() {
        for variable in Config.variables { #expect(Command.usage.contains(variable.name)) }
    }
}
