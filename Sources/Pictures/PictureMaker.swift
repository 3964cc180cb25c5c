import Reactor

/// Makes uploaded pictures small and square, each in a process of its own, so that a file which makes a decoder loop,
/// eat memory or worse ends only that process.
package final class PictureMaker: Sendable {
    package enum Outcome: Equatable, Sendable {
        case picture([UInt8])
        /// The file is none of the pictures that can be made smaller.
        case refused
    }

    /// What the picture may be, and what comes out.
    package struct Bounds: Sendable {
        package let side: Int
        package let mostPixels: Int
        package let mostBytes: Int

        package init(side: Int, mostPixels: Int, mostBytes: Int) {
            (self.side, self.mostPixels, self.mostBytes) = (side, mostPixels, mostBytes)
        }
    }

    private let program: String
    private let patience: Duration
    private let pool: WorkerPool
    private let report: @Sendable (String) -> Void

    /// `program`: this program, which understands `picture`. `patience`: how long one picture may take. `report` learns of
    /// files that made the decoder do what it may not.
    package init(
        program: String = "/proc/self/exe", patience: Duration = .seconds(10),
        pool: WorkerPool = WorkerPool(threads: 2, queue: 32, patience: .seconds(10)),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.program, self.patience, self.pool, self.report) = (program, patience, pool, report)
    }

    /// Throws `WorkerPool.Overloaded` when too many wait, and ``ChildProcess/Failure`` when no process can be made or
    /// confined.
    package func square(_ file: [UInt8], _ bounds: Bounds) async throws -> Outcome {
        try await pool.run { [program, patience, report] in
            let ending = try ChildProcess.run(
                program, ["picture", String(bounds.side), String(bounds.mostPixels)], input: file,
                mostOutput: bounds.mostBytes, within: patience)
            switch ending {
            case .exited(PictureProcess.made, let output): return .picture(output)
            case .exited(PictureProcess.refused, _): return .refused
            case .exited(let code, _):
                throw ChildProcess.Failure(description: "the process for pictures ended with \(code)")
            case .killed(let signal):
                report("the process for a picture was killed by signal \(signal)")
                return .refused
            case .stopped:
                report("the process for a picture took too long or wrote too much")
                return .refused
            }
        }
    }
}
