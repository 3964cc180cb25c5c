internal import CWebP

/// Makes the square picture that is kept: the middle of an uploaded one, upright, without any of its metadata.
enum SquarePicture {
    /// WebP's scale ends at 100; above 80 files grow faster than anybody can see.
    private static let quality: Float = 80

    /// A WebP file of `side` times `side` pixels; nil when `bytes` is no picture that can be decoded, or one of more than
    /// `mostPixels`.
    static func make(from bytes: [UInt8], side: Int, mostPixels: Int) -> [UInt8]? {
        guard let file = PictureFile(bytes), let pixels = Pixels.decode(file, most: mostPixels, side: side) else {
            return nil
        }
        return middle(of: pixels, side: side).flatMap { encode(turned($0, side, file.orientation), side) }
    }

    /// The largest square in the middle, scaled; each pixel as alpha, red, green, blue.
    private static func middle(of pixels: Pixels, side: Int) -> [UInt32]? {
        let edge = min(pixels.width, pixels.height)
        let begin = ((pixels.height - edge) / 2 * pixels.width + (pixels.width - edge) / 2) * 4
        var picture = WebPPicture()
        guard WebPPictureInit(&picture) != 0 else { return nil }
        defer { WebPPictureFree(&picture) }
        picture.use_argb = 1
        (picture.width, picture.height) = (Int32(edge), Int32(edge))
        guard WebPPictureImportRGBA(&picture, pixels.bytes + begin, Int32(pixels.width * 4)) != 0,
            WebPPictureRescale(&picture, Int32(side), Int32(side)) != 0
        else { return nil }
        return (0..<side).flatMap { row in
            UnsafeBufferPointer(start: picture.argb + row * Int(picture.argb_stride), count: side)
        }
    }

    /// The same upright, as EXIF's orientation says how it lies.
    private static func turned(_ pixels: [UInt32], _ side: Int, _ orientation: Int) -> [UInt32] {
        let last = side - 1
        return (0..<pixels.count).map { index in
            let (x, y) = (index % side, index / side)
            let (fromX, fromY) =
                switch orientation {
                case 2: (last - x, y)
                case 3: (last - x, last - y)
                case 4: (x, last - y)
                case 5: (y, x)
                case 6: (y, last - x)
                case 7: (last - y, last - x)
                case 8: (last - y, x)
                default: (x, y)
                }
            return pixels[fromY * side + fromX]
        }
    }

    private static func encode(_ pixels: [UInt32], _ side: Int) -> [UInt8]? {
        let bytes = pixels.flatMap { pixel in [16, 8, 0, 24].map { UInt8(truncatingIfNeeded: pixel >> $0) } }
        var file: UnsafeMutablePointer<UInt8>?
        let size = WebPEncodeRGBA(bytes, Int32(side), Int32(side), Int32(side * 4), quality, &file)
        defer { WebPFree(file) }
        return size == 0 ? nil : Array(UnsafeBufferPointer(start: file, count: size))
    }
}
