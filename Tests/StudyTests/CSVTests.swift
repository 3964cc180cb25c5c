import Study
import Testing

@Suite struct CSVTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let records: [[String]]
        var lines: [Int]?
        var testDescription: String { text.debugDescription }

        init(_ text: String, _ records: [[String]], lines: [Int]? = nil) {
            (self.text, self.records, self.lines) = (text, records, lines)
        }
    }

    static let table = [
        Case("", []), Case("a", [["a"]]), Case("a,b", [["a", "b"]]), Case("a,b\r\n", [["a", "b"]]),
        Case("a\nb\n", [["a"], ["b"]], lines: [1, 2]), Case("a\rb\rc", [["a"], ["b"], ["c"]], lines: [1, 2, 3]),
        Case("a\r\nb", [["a"], ["b"]], lines: [1, 2]), Case("a\n\nb", [["a"], [""], ["b"]], lines: [1, 2, 3]),
        Case(",", [["", ""]]), Case(",,\n,", [["", "", ""], ["", ""]]), Case("a,", [["a", ""]]),
        Case(",a", [["", "a"]]),
        Case("\n", [[""]]), Case("\"\"", [[""]]), Case("\"\",\"\"", [["", ""]]), Case("\"a\"", [["a"]]),
        Case("\"a,b\",c", [["a,b", "c"]]), Case("\"a\"\"b\"", [["a\"b"]]), Case("\"\"\"\"", [["\""]]),
        Case("\"\"\"a\"\"\"", [["\"a\""]]), Case("\"a\nb\",c\nd", [["a\nb", "c"], ["d"]], lines: [1, 3]),
        Case("\"a\r\nb\"\r\nd", [["a\r\nb"], ["d"]], lines: [1, 3]),
        Case("x\n\"a\rb\n\nc\"\ny", [["x"], ["a\rb\n\nc"], ["y"]], lines: [1, 2, 6]),
        Case(" a , b ", [[" a ", " b "]]), Case("\u{FEFF}a,b", [["a", "b"]]), Case("\u{FEFF}\"a\"", [["a"]]),
        Case("수학,영어\r\n\"가,나\",🐜", [["수학", "영어"], ["가,나", "🐜"]], lines: [1, 2]),
        Case("'a;b\tc", [["'a;b\tc"]]), Case("\"\n\"", [["\n"]]), Case("\"a\"\r\"b\"", [["a"], ["b"]], lines: [1, 2]),
    ]

    @Test(arguments: table)
    func `a text is read as its records, each with its line`(example: Case) throws {
        let records = try CSV.records(Array(example.text.utf8))
        #expect(records.map(\.fields) == example.records)
        if let lines = example.lines { #expect(records.map(\.line) == lines) }
    }

    @Test(arguments: [
        ("\"", 1), ("a\n\"b", 2), ("\"a\"b", 1), ("a\"b", 1), ("a\"", 1), ("x\ny,\"a\" ,b", 2), ("\"a\n\n", 1),
        ("\"a\n\"\"\nb", 1), ("a\nb\n\"c\"d", 3), ("\"a\nb\"c", 2), (" \"a\"", 1),
    ])
    func `quotes that do not match are refused by their line`(text: String, line: Int) {
        let error = #expect(throws: CSV.Malformed.self) { try CSV.records(Array(text.utf8)) }
        #expect(error?.line == line)
    }

    @Test func `however a text is cut, the parser neither traps nor invents records`() throws {
        for example in Self.table {
            let bytes = Array(example.text.utf8)
            for end in bytes.indices {
                let part = Array(bytes[..<end])
                guard let records = try? CSV.records(part) else { continue }
                #expect(records.count <= example.records.count)
                #expect(records.dropLast().map(\.fields) == Array(example.records.prefix(max(0, records.count - 1))))
            }
        }
    }

    @Test func `what is written is read back, whatever it is`() throws {
        var random = SystemRandomNumberGenerator()
        let pieces = ["a", ",", "\"", "\r", "\n", "\r\n", "'", "=", "+", "-", "@", "\t", " ", "수", "🐜", ""]
        for _ in 0..<2000 {
            let records = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                        .joined()
                }
            }
            let text = records.map(CSV.line).joined()
            let read = try CSV.records(Array(text.utf8)).map { $0.fields.map(CSV.plain) }
            #expect(read == records, "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "''-1", "＝1+1", "＋1", "－1", "＠SUM(A1)", "'＝1",
    ])
    func `no cell begins like a formula`(text: String) throws {
        let cell = try CSV.records(Array(CSV.line([text]).utf8))[0].fields[0]
        #expect(cell == "'" + text)
        #expect(CSV.plain(cell) == text)
    }

    @Test(arguments: ["", "a", "'", "'a", "1-2", " =1"])
    func `what is no formula stays as it is`(text: String) throws {
        #expect(try CSV.records(Array(CSV.line([text]).utf8))[0].fields[0] == text)
        #expect(CSV.plain(text) == text)
    }

    @Test func `a number below zero stays a number`() {
        #expect(CSV.line([.number(-1), .number(nil), .text("-1"), .number(20)]) == "-1,,'-1,20\r\n")
    }

    @Test func `of a record with thousands of fields the first are kept, and all are counted`() throws {
        let record = try CSV.records(Array(("a" + String(repeating: ",", count: 9999)).utf8))[0]
        #expect(record.count == 10_000)
        #expect(record.fields == ["a"] + Array(repeating: "", count: CSV.mostFields - 1))
        #expect(!record.isBlank)
        #expect(try CSV.records(Array((String(repeating: ",", count: 999) + "a").utf8))[0].isBlank == false)
        #expect(try CSV.records(Array(String(repeating: ",", count: 999).utf8))[0].isBlank)
        #expect(throws: CSV.Malformed.self) {
            try CSV.records(Array((String(repeating: ",", count: 999) + "\"").utf8))
        }
    }
}
