/// The container of an uploaded picture: its format, how it is to be turned, and the bytes that a decoder reads.
struct PictureFile {
    enum Format {
        case png, jpeg, webp
    }

    let format: Format
    /// What a decoder reads: the file itself, or the first frame of an animation.
    private(set) var picture: ArraySlice<UInt8>
    /// Where the first frame of an animation lies on its canvas.
    private(set) var frame: (x: Int, y: Int, canvasWidth: Int, canvasHeight: Int)?
    /// 1 to 8, as EXIF numbers them; 1 is upright.
    private(set) var orientation = 1

    /// Nil for a file that begins like none of the three formats.
    init?(_ bytes: [UInt8]) {
        picture = bytes[...]
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            format = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            format = .jpeg
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            format = .webp
        } else {
            return nil
        }
        switch format {
        case .png: readChunksOfPNG(bytes)
        case .jpeg: readSegmentsOfJPEG(bytes)
        case .webp: readChunksOfWebP(bytes)
        }
    }

    private mutating func readChunksOfPNG(_ bytes: [UInt8]) {
        var rest = bytes.dropFirst(8)
        while let size = rest.bigEndian(at: 0, 4), let content = rest.part(at: 8, size) {
            if rest.has("eXIf", at: 4) { return readEXIF(content) }
            rest = rest.dropFirst(12 + size)
        }
    }

    private mutating func readSegmentsOfJPEG(_ bytes: [UInt8]) {
        var rest = bytes.dropFirst(2)
        // A segment has a marker, its size and its content. The picture itself begins with the first scan (DA).
        while rest.first == 0xFF, let marker = rest.bigEndian(at: 1, 1), marker != 0xDA {
            if marker == 0xFF {
                rest = rest.dropFirst()
                continue
            }
            guard let size = rest.bigEndian(at: 2, 2), size >= 2, let content = rest.part(at: 4, size - 2) else {
                return
            }
            if marker == 0xE1, content.has("Exif\0\0", at: 0) { return readEXIF(content) }
            rest = rest.dropFirst(2 + size)
        }
    }

    private mutating func readChunksOfWebP(_ bytes: [UInt8]) {
        var rest = bytes.dropFirst(12)
        var canvas: (width: Int, height: Int)?
        while let size = rest.littleEndian(at: 4, 4), let content = rest.part(at: 8, size) {
            if rest.has("EXIF", at: 0) { readEXIF(content) }
            if rest.has("VP8X", at: 0), let width = content.littleEndian(at: 4, 3),
                let height = content.littleEndian(at: 7, 3)
            {
                canvas = (width + 1, height + 1)
            }
            if rest.has("ANMF", at: 0), frame == nil, let canvas, let x = content.littleEndian(at: 0, 3),
                let y = content.littleEndian(at: 3, 3)
            {
                frame = (x * 2, y * 2, canvas.width, canvas.height)
                picture = content.dropFirst(16)
            }
            rest = rest.dropFirst(8 + size + size % 2)
        }
    }

    /// Finds the orientation (tag 0x0112) in the first directory of a TIFF structure.
    private mutating func readEXIF(_ content: ArraySlice<UInt8>) {
        let tiff = content.has("Exif\0\0", at: 0) ? content.dropFirst(6) : content
        let isLittle = tiff.has("II*\0", at: 0)
        guard isLittle || tiff.has("MM\0*", at: 0) else { return }
        func number(at offset: Int, _ size: Int) -> Int? {
            isLittle ? tiff.littleEndian(at: offset, size) : tiff.bigEndian(at: offset, size)
        }
        guard let directory = number(at: 4, 4), let count = number(at: directory, 2) else { return }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = number(at: entry, 2), let value = number(at: entry + 8, 2) else { return }
            if tag == 0x0112, (1...8).contains(value) { orientation = value }
        }
    }
}

extension ArraySlice<UInt8> {
    /// `size` bytes from `offset` on; nil where there are fewer.
    fileprivate func part(at offset: Int, _ size: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, size >= 0, offset <= count, size <= count - offset else { return nil }
        return self[(startIndex + offset)..<(startIndex + offset + size)]
    }

    fileprivate func has(_ text: String, at offset: Int) -> Bool {
        part(at: offset, text.utf8.count)?.elementsEqual(text.utf8) == true
    }

    fileprivate func bigEndian(at offset: Int, _ size: Int) -> Int? {
        part(at: offset, size)?.reduce(0) { $0 << 8 | Int($1) }
    }

    fileprivate func littleEndian(at offset: Int, _ size: Int) -> Int? {
        part(at: offset, size)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
