import Foundation
import Glibc

/// What the process takes from the system now. Reading it may take milliseconds: not on a loop.
struct ProcessFigures {
    /// Bytes in the machine's memory.
    let residentBytes: Int
    /// Seconds on a processor since the start.
    let processorSeconds: Double
    let openDescriptors: Int
    let mostDescriptors: Int

    init() {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        residentBytes = (pages.flatMap { Int($0[1]) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        // In microseconds on every POSIX system.
        processorSeconds = Double(clock()) / 1_000_000
        openDescriptors = Self.countDescriptors()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        mostDescriptors = Int(clamping: limit.rlim_cur)
    }

    /// Without the one that counting takes, and without `.` and `..`.
    private static func countDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
