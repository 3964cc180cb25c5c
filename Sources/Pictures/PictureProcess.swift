import Glibc

/// The other end of ``PictureMaker``: a process that makes one picture from its standard input and ends.
package enum PictureProcess {
    /// How it ends when it made a picture.
    static let made: Int32 = 0
    /// How it ends when there was no picture to be made.
    static let refused: Int32 = 3

    /// Reads a picture, writes the square one, and ends the process.
    package static func run(side: Int, mostPixels: Int) -> Never {
        guard Confinement.enter() else { _exit(1) }
        guard let picture = SquarePicture.make(from: readAll(), side: side, mostPixels: mostPixels) else {
            _exit(refused)
        }
        _exit(writeAll(picture) ? made : 1)
    }

    private static func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &piece, piece.count)
            guard count > 0 else { return all }
            all += piece[..<count]
        }
    }

    private static func writeAll(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
