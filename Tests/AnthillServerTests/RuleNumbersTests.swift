import API
import Foundation
import HTTP
import Schema
import TestSupport
import Testing

@testable import AnthillServer

/// The numbers of the rules stand in `sql/functions/numbers.sql` alone; all texts are told them.
@Suite(.database) struct RuleNumbersTests {
    /// What texts ask for, by name.
    private static func asked() throws -> Set<String> {
        var names = Set(RuleNumber.allCases.map(\.rawValue))
        for (_, text) in try ["openapi.yaml", ".html"].flatMap(SourceTexts.all) {
            names.formUnion(text.matches(of: #/\{\{(\w+)\}\}/#).map { String($0.1) })
        }
        for text in try SourceTexts.all(".js").values where text.contains("/numbers.js\"") {
            names.formUnion(text.matches(of: #/\bnumbers\.(\w+)/#).map { String($0.1) }.filter { $0 != "js" })
        }
        return names
    }

    @Test func `texts ask for every number that is told, and for no other`() async throws {
        let told = try await Set(Schema.ruleNumbers(TestDatabase.current.database).keys)
        #expect(try Self.asked() == told)
    }

    @Test func `every number that the program's own sentences may tell is in one`() throws {
        let sentences = try SourceTexts.all(".swift").values.joined()
        for number in RuleNumber.allCases {
            let name = number.rawValue.replacing(#/_([a-z])/#) { $0.1.uppercased() }
            #expect(sentences.contains("RuleNumber.\(name)"), "\(number.rawValue)")
        }
    }

    @Test func `no sentence has a number of the rules by hand`() async throws {
        // 24 hours are left out: they are also how long a day is.
        let told = try await Schema.ruleNumbers(TestDatabase.current.database)
            .filter { $0.key.hasSuffix("_hours") && $0.value != 24 }
        let hours = try Regex(
            "(^|[^0-9.:])(\(Set(told.values).map(String.init).joined(separator: "|"))) ?(시간|hours?\\b|h\\b)")
        for (name, text) in try [".swift", ".js", ".html", "openapi.yaml"].flatMap(SourceTexts.all) {
            for line in text.split(separator: "\n") {
                #expect(!line.contains(hours), "\(name): \(line)")
                #expect(!line.contains(#/\bnoon\b|정오|낮 12시/#), "\(name): \(line)")
            }
        }
    }

    @Test func `a text that asks for a number that there is none of is refused`() throws {
        #expect(try RuleNumbers.current.fill("{{alarm_tries}} of {{most_groups}}") == "5 of 20")
        #expect(throws: RuleNumbers.Unknown.self) { try RuleNumbers.current.fill("at most {{most_ants}}") }
        #expect(throws: RuleNumbers.Unknown.self) { try RuleNumbers([:]) }
    }

    @Test func `the pages are told the numbers as a module beside their own`() async throws {
        let router = try Router(
            PageRoutes(Person.gate(), site: "https://study.example", api: Router([])).routes.map(\.route))
        let answer = await Client(router).get("/js/words/numbers.js")
        #expect(String(decoding: answer.body, as: UTF8.self).contains("\n  logging_window_hours: 48,\n"))
        #expect(answer.headers["Content-Type"] == "text/javascript; charset=utf-8")
        #expect(answer.headers["ETag"] != nil && answer.headers["Content-Security-Policy"] != nil)
    }
}
