/// Figures as Prometheus reads them: its text format, family by family.
struct MetricsText {
    enum Kind: String { case counter, gauge, histogram }

    typealias Labels = KeyValuePairs<String, String>

    private(set) var text = ""
    private var family = ""

    /// Begins a family; its samples follow.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        family = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// A family of one sample.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        begin(name, kind, help)
        add([:], value)
    }

    mutating func add(_ labels: Labels, _ value: Double) { sample("", labels, value) }

    /// A histogram: for each bound how many did not exceed it, how many there were, and their sum. `slots` has one more
    /// for what exceeds every bound.
    mutating func add(_ labels: Labels, bounds: [Double], slots: [Int], sum: Double) {
        var count = 0
        for (slot, bound) in zip(slots, bounds + [.infinity]) {
            count += slot
            sample("_bucket", labels, le: bound, Double(count))
        }
        sample("_sum", labels, sum)
        sample("_count", labels, Double(count))
    }

    private mutating func sample(_ suffix: String, _ labels: Labels, le bound: Double? = nil, _ value: Double) {
        var pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
        if let bound { pairs.append("le=\"\(Self.number(bound))\"") }
        text += family + suffix
        if !pairs.isEmpty { text += "{\(pairs.joined(separator: ","))}" }
        text += " \(Self.number(value))\n"
    }

    private static func number(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        return Int(exactly: value).map(String.init) ?? String(value)
    }

    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\", "\"": text += "\\\(scalar)"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
