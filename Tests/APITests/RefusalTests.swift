import API
import HTTP
import Postgres
import TestSupport
import Testing

@Suite(.database) struct RefusalTests {
    private struct Ants: Refusals {
        let tooMany = Refusal(
            .conflict, "too_many_ants", on: "most_ants", "ants_limit", field: "ants", ko: "개미가 {}마리예요.", en: "{} ants.")
        let noQueen = Refusal(.forbidden, "no_queen", ko: "여왕이 없어요.", en: "There is no queen.").retry(afterSeconds: 7)
        let other = "not a refusal"
    }

    private let ants = Ants()

    private func refuse(_ constraint: String) async throws {
        try await ants.mapConstraints(renaming: ["ants": "colony.ants"]) {
            try await TestDatabase.current.sql("SELECT refuse('\(constraint)', 'no')")
        }
    }

    @Test func `a table lists its refusals`() {
        #expect(ants.all == [ants.tooMany, ants.noQueen])
        #expect(ants.byConstraint.keys.sorted() == ["ants_limit", "most_ants"])
    }

    @Test(arguments: ["most_ants", "ants_limit"])
    func `a constraint that refuses becomes its refusal, with the field as the request calls it`(name: String) async {
        await #expect(throws: ants.tooMany.at("colony.ants")) { try await refuse(name) }
    }

    @Test(arguments: ["most_ants_there_are", "most", "ant_farm"])
    func `another constraint is an error as it was`(name: String) async throws {
        let error = await #expect(throws: PostgresError.self) { try await refuse(name) }
        #expect(error?.constraint == name)
    }

    @Test func `a refusal is answered with its words, its field and its headers`() async {
        let refusal = ants.tooMany.filled(with: "7").at("colony").with(["ants": 7])
        let answer = await Client(Router([Route(.get, "/") { _ in throw refusal }])).get("/")
        #expect(answer.status == .conflict)
        #expect(answer.json["detail"] == "7 ants." && answer.json["field"] == "colony" && answer.json["ants"] == 7)
        #expect(refusal.detail.ko == "개미가 7마리예요.")
        #expect(Response.problem(ants.noQueen, language: .ko, requestID: "r").headers["Retry-After"] == "7")
    }

    @Test func `refusals differ by status, code, field and words`() {
        #expect(ants.tooMany == ants.tooMany.with(header: "X-Ants", "7"))
        #expect(ants.tooMany != ants.tooMany.at(nil))
        #expect(ants.tooMany != ants.tooMany.filled(with: "7"))
        #expect(ants.tooMany != ants.noQueen)
    }

    @Test(arguments: [(1, "1 s"), (59, "59 s"), (60, "1 min"), (61, "2 min"), (3600, "1 h"), (3601, "1 h 1 min")])
    func `a wait is told in minutes from one minute on`(seconds: Int, words: String) {
        #expect(Localized.wait(seconds).en == words)
    }
}
