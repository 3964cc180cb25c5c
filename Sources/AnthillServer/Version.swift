import Foundation

/// The version of the program: that of its package, or the one with which the scripts have built it. It is in the file
/// `version` beside the program.
let programVersion: String = {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let text = try? String(contentsOf: program.deletingLastPathComponent().appending(path: "version"), encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "built by hand"
}()
