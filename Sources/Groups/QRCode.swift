internal import CQRCode

/// A text as a QR code that survives a smudge (error correction M, 15 %).
struct QRCode {
    /// Modules on each side.
    let width: Int
    /// Row by row, whether a module is dark.
    let modules: [Bool]

    /// nil for a text that is too long for any code, empty or with U+0000.
    init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let side = Int(code.pointee.width)
        width = side
        // The lowest bit of each byte is the module; the others say what it is for.
        modules = (0..<side * side).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// Black on white with the quiet zone of four modules, in dark pages too: cameras need it so. Each run of dark modules
    /// in a row is one rectangle of the path.
    var svg: String {
        let side = width + 8
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while column < width, modules[row * width + column] { column += 1 }
                if column > start {
                    path += "M\(start + 4) \(row + 4)h\(column - start)v1h-\(column - start)z"
                } else {
                    column += 1
                }
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path d="\(path)"/></svg>
            """
    }
}
