import Foundation

/// What the program is made of, for tests that hold its parts against each other.
enum SourceTexts {
    private static let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized

    /// The texts of all files below `Sources` with that ending, by their paths.
    static func all(_ ending: String) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(ending) }
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOf: sources.appending(path: $0), encoding: .utf8))
            })
    }
}
