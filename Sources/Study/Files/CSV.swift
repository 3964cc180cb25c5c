/// Comma-separated values as RFC 4180 has them: what spreadsheets and other services write, and what they read.
package enum CSV {
    /// One record, and the line of the text on which it begins; the first line is 1.
    package struct Record: Sendable, Hashable {
        package let line: Int
        /// The first ``mostFields`` of them.
        package fileprivate(set) var fields: [String] = []
        /// How many it has.
        package fileprivate(set) var count = 0
        /// Whether there is nothing in it: an empty line, or only commas.
        package fileprivate(set) var isBlank = true
    }

    /// More fields of a record are counted and checked, but not kept: a line of nothing but commas stays small.
    package static let mostFields = 128

    /// What a cell is written from.
    package enum Cell {
        case text(String)
        /// Stays a number in a spreadsheet, below zero too; nil is an empty cell.
        case number(Int?)
    }

    /// Where a text ceases to be CSV: a quote that is never closed, or something behind the closing one.
    package struct Malformed: Error, Hashable {
        package let line: Int
    }

    /// The records that `isKept` accepts, by default all. Lines may end in CRLF, LF or CR; the last one needs no end. A
    /// quoted field may hold these, commas and doubled quotes. A byte order mark is skipped. Throws ``Malformed``.
    package static func records(
        _ bytes: [UInt8], where isKept: (Record) -> Bool = { _ in true }
    ) throws(Malformed) -> [Record] {
        var reader = Reader(bytes)
        var records: [Record] = []
        while let record = try reader.next() {
            if isKept(record) { records.append(record) }
        }
        return records
    }

    /// One record with its line's end. Text that a spreadsheet would take for a formula gets an apostrophe in front,
    /// which ``plain(_:)`` takes away again.
    package static func line(_ cells: [Cell]) -> String {
        let fields = cells.map { cell in
            switch cell {
            case .text(let text): quoted(harmless(text))
            case .number(let number): number.map(String.init) ?? ""
            }
        }
        return fields.joined(separator: ",") + "\r\n"
    }

    /// The same for texts alone.
    package static func line(_ texts: [String]) -> String { line(texts.map(Cell.text)) }

    /// What a field said before ``line(_:)`` made it harmless.
    package static func plain(_ field: String) -> String {
        field.first == "'" && isFormula(field) ? String(field.dropFirst()) : field
    }

    private static func harmless(_ field: String) -> String { isFormula(field) ? "'" + field : field }

    /// Whether it begins like a formula. Apostrophes in front do not count: ``plain(_:)`` must tell them from the added one.
    /// Spreadsheets in East Asia also read the full-width signs as such.
    private static func isFormula(_ field: String) -> Bool {
        switch field.unicodeScalars.first(where: { $0 != "'" }) {
        case "=", "+", "-", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": true
        default: false
        }
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { [0x22, 0x2C, 0x0D, 0x0A].contains($0) }) else { return field }
        return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var at: Int
        private var line = 1

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        }

        mutating func next() throws(Malformed) -> Record? {
            guard at < bytes.count else { return nil }
            var record = Record(line: line)
            while true {
                let field = try field()
                record.count += 1
                if !field.isEmpty { record.isBlank = false }
                if record.count <= mostFields { record.fields.append(field) }
                guard at < bytes.count else { break }
                if bytes[at] == comma {
                    at += 1
                    continue
                }
                endLine()
                break
            }
            return record
        }

        /// Up to the comma or the line's end behind it.
        private mutating func field() throws(Malformed) -> String {
            guard at < bytes.count, bytes[at] == quote else {
                let start = at
                while at < bytes.count, bytes[at] != comma, bytes[at] != lineFeed, bytes[at] != carriageReturn {
                    if bytes[at] == quote { throw Malformed(line: line) }
                    at += 1
                }
                return String(decoding: bytes[start..<at], as: UTF8.self)
            }
            let opened = line
            var content: [UInt8] = []
            at += 1
            while at < bytes.count {
                switch bytes[at] {
                case quote where at + 1 < bytes.count && bytes[at + 1] == quote:
                    content.append(quote)
                    at += 2
                case quote:
                    at += 1
                    if at < bytes.count, bytes[at] != comma, bytes[at] != lineFeed, bytes[at] != carriageReturn {
                        throw Malformed(line: line)
                    }
                    return String(decoding: content, as: UTF8.self)
                case lineFeed, carriageReturn:
                    let start = at
                    endLine()
                    content += bytes[start..<at]
                default:
                    content.append(bytes[at])
                    at += 1
                }
            }
            throw Malformed(line: opened)
        }

        private mutating func endLine() {
            at += bytes[at] == carriageReturn && at + 1 < bytes.count && bytes[at + 1] == lineFeed ? 2 : 1
            line += 1
        }
    }
}

private let quote = UInt8(ascii: "\"")
private let comma = UInt8(ascii: ",")
private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
