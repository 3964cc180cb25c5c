/// A statement that a connection has prepared, or is about to.
final class Statement {
    let name: String
    let text: String
    /// Why it could not be prepared.
    var fault: PostgresError?
    fileprivate var lastUse = 0

    fileprivate init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// The statements that one connection has prepared, by their text; the least recently used gives way.
struct Statements {
    private let capacity: Int
    private var byText: [String: Statement] = [:]
    private var uses = 0
    private var made = 0
    /// Names that the server may forget.
    private(set) var discarded: [String] = []

    init(capacity: Int = 256) { self.capacity = capacity }

    /// The prepared statement with this text.
    mutating func find(_ text: String) -> Statement? {
        guard let statement = byText[text] else { return nil }
        uses += 1
        statement.lastUse = uses
        return statement
    }

    mutating func add(_ text: String) -> Statement {
        if byText.count >= capacity, let oldest = byText.values.min(by: { $0.lastUse < $1.lastUse }) {
            discard(oldest)
        }
        made += 1
        uses += 1
        let statement = Statement(name: "s\(made)", text: text)
        statement.lastUse = uses
        byText[text] = statement
        return statement
    }

    /// Forgets a statement that the server does not have.
    mutating func forget(_ statement: Statement) {
        if byText[statement.text] === statement { byText[statement.text] = nil }
    }

    /// Forgets a statement that the server still has.
    mutating func discard(_ statement: Statement) {
        guard byText[statement.text] === statement else { return }
        byText[statement.text] = nil
        discarded.append(statement.name)
    }

    mutating func takeDiscarded() -> [String] {
        defer { discarded.removeAll() }
        return discarded
    }
}
