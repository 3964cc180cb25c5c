@testable import HTTP
import Testing

/// The parser alone, fed in pieces; no case may depend on where the pieces end.
@Suite(.serialized) struct ParserTests {
    /// What a server would make of these pieces: each request in a line, and what ended it.
    static func read(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var outcomes: [String] = []
        var buffer: [UInt8] = []
        var parser = HeadParser()
        var head: RequestHead?
        var body: BodyReader?
        do throws(Problem) {
            for piece in pieces {
                buffer += piece
                while !buffer.isEmpty {
                    if head == nil {
                        guard let complete = try parser.parse(buffer.span) else { break }
                        buffer.removeFirst(parser.length)
                        parser = HeadParser()
                        head = complete
                        body = try BodyReader(complete.framing, limit: 1000)
                    } else {
                        buffer.removeFirst(try body?.read(buffer.span) ?? 0)
                    }
                    guard let complete = head, body?.isComplete ?? true else { continue }
                    outcomes.append(describe(complete, body?.bytes ?? []))
                    head = nil
                    body = nil
                    if !complete.keepsAlive { return outcomes }
                }
            }
        } catch {
            outcomes.append("\(error.status.code)")
        }
        return outcomes
    }

    private static func describe(_ head: RequestHead, _ body: [UInt8]) -> String {
        let fields = head.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
        let target = "\(head.target.path) \(head.target.segments) \(head.target.query["a"] ?? "-")"
        return "\(head.method) \(target) \(fields) \(head.framing) \(head.expectsContinue) \(body)"
    }

    @Test(arguments: WireCase.table + WireCase.smuggling)
    func `a request means the same however it arrives`(wire: WireCase) async {
        let whole = Self.read([wire.input[...]])
        #expect(Self.read(wire.input.indices.map { wire.input[$0...$0] }) == whole, "byte by byte")
        for cut in wire.cuts where Self.read([wire.input[..<cut], wire.input[cut...]]) != whole {
            Issue.record("cut at \(cut) it means something else")
        }
        await Task.yield()
    }

    @Test func `mutated requests mean the same however they arrive, and nothing traps`() async {
        var random = SplitMix(state: 20_261_121)
        let seeds = (WireCase.table + WireCase.smuggling).map(\.input).filter { $0.count < 600 }
        for round in 0..<3000 {
            if round % 50 == 0 { await Task.yield() }
            var input = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&input, seeds, &random) }
            let whole = Self.read([input[...]])
            #expect(Self.read(input.indices.map { input[$0...$0] }) == whole, "\(input)")
            let cut = Int.random(in: 0...input.count, using: &random)
            #expect(Self.read([input[..<cut], input[cut...]]) == whole, "\(input) cut at \(cut)")
        }
    }

    private func mutate(_ input: inout [UInt8], _ seeds: [[UInt8]], _ random: inout SplitMix) {
        let place = Int.random(in: 0...input.count, using: &random)
        let end = Int.random(in: place...min(input.count, place + 8), using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: input.removeSubrange(place..<end)
        case 1: input.insert(contentsOf: input[place..<end], at: place)
        case 2: input.insert(Array("\r\n\t :,;0\0%/?*".utf8).randomElement(using: &random) ?? 0, at: place)
        case 3 where place < input.count: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        default:
            let other = seeds.randomElement(using: &random) ?? []
            input.replaceSubrange(place..., with: other.suffix(Int.random(in: 0...other.count, using: &random)))
        }
    }

    @Test func `an absolute target's host goes before the Host field`() throws {
        let input = Array("GET http://real:81/a?b=c HTTP/1.1\r\nHost: other\r\nX: y\r\n\r\n".utf8)
        var parser = HeadParser()
        let head = try #require(try parser.parse(input.span))
        #expect(head.headers.all("host") == ["real:81"])
        #expect(head.headers["x"] == "y")
        #expect(head.target.path == "/a")
        #expect(head.target.query["b"] == "c")
    }

    @Test func `a path is split before it is decoded`() {
        let target: Target = "/a%2Fb/%ED%95%9C?q=1+2%2B&%ED%95%9C=&x"
        #expect(target.segments == ["a/b", "한"])
        #expect(target.path == "/a/b/한")
        #expect(target.query["q"] == "1 2+")
        #expect(target.query["한"] == "")
        #expect(target.query["x"] == "")
        #expect(target.query["y"] == nil)
    }
}

/// Random numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
