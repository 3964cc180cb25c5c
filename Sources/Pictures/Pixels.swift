internal import CPNG
internal import CTurboJPEG
internal import CWebP
import Glibc

/// A decoded picture: four bytes a pixel, red, green, blue and alpha.
final class Pixels {
    let width: Int
    let height: Int
    let bytes: UnsafeMutablePointer<UInt8>

    /// Decodes what `file` holds. Nil when it cannot be decoded, has more than `most` pixels, or needs more memory than
    /// there is. A JPEG of which only `side` pixels are needed is decoded smaller.
    static func decode(_ file: PictureFile, most: Int, side: Int) -> Pixels? {
        file.picture.withUnsafeBufferPointer { bytes in
            switch file.format {
            case .png: png(bytes, most)
            case .jpeg: jpeg(bytes, most, side)
            case .webp: webp(bytes, file.frame, most)
            }
        }
    }

    /// `fill` gets memory of zeroes, which is a transparent picture, and says whether it has drawn its own.
    private init?(_ width: Int, _ height: Int, fill: (UnsafeMutablePointer<UInt8>) -> Bool) {
        // An array would end the program where there is no memory.
        guard let memory = calloc(width * height, 4) else { return nil }
        let bytes = memory.assumingMemoryBound(to: UInt8.self)
        guard fill(bytes) else {
            free(memory)
            return nil
        }
        (self.width, self.height, self.bytes) = (width, height, bytes)
    }

    deinit { free(bytes) }

    private static func isAllowed(_ width: Int, _ height: Int, _ most: Int) -> Bool {
        width > 0 && height > 0 && width <= most / height
    }

    private static func png(_ file: UnsafeBufferPointer<UInt8>, _ most: Int) -> Pixels? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0,
            isAllowed(Int(image.width), Int(image.height), most)
        else { return nil }
        image.format = anthill_png_rgba
        return Pixels(Int(image.width), Int(image.height)) { png_image_finish_read(&image, nil, $0, 0, nil) != 0 }
    }

    private static func jpeg(_ file: UnsafeBufferPointer<UInt8>, _ most: Int, _ side: Int) -> Pixels? {
        guard let decoder = tjInitDecompress() else { return nil }
        defer { tjDestroy(decoder) }
        var (width, height, sampling, colours) = (Int32(0), Int32(0), Int32(0), Int32(0))
        guard
            tjDecompressHeader3(
                decoder, file.baseAddress, UInt(file.count), &width, &height, &sampling, &colours) == 0,
            isAllowed(Int(width), Int(height), most)
        else { return nil }
        // The decoder can leave out detail: it makes pictures of n eighths of their size.
        let eighths = (1...8).first { Int(min(width, height)) * $0 / 8 >= side * 2 } ?? 8
        let (smallWidth, smallHeight) = ((Int(width) * eighths + 7) / 8, (Int(height) * eighths + 7) / 8)
        let isCMYK = [TJCS_CMYK, TJCS_YCCK].contains(TJCS(UInt32(colours)))
        let format = isCMYK ? TJPF_CMYK : TJPF_RGBA
        return Pixels(smallWidth, smallHeight) { bytes in
            guard
                tjDecompress2(
                    decoder, file.baseAddress, UInt(file.count), bytes, Int32(smallWidth), 0, Int32(smallHeight),
                    format.rawValue, TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING) == 0
            else { return false }
            if isCMYK { convertFromCMYK(bytes, smallWidth * smallHeight) }
            return true
        }
    }

    /// JPEG files hold the complements of cyan, magenta, yellow and black.
    private static func convertFromCMYK(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for pixel in stride(from: 0, to: count * 4, by: 4) {
            let black = Int(bytes[pixel + 3])
            for colour in pixel..<(pixel + 3) { bytes[colour] = UInt8(Int(bytes[colour]) * black / 255) }
            bytes[pixel + 3] = 255
        }
    }

    private static func webp(
        _ file: UnsafeBufferPointer<UInt8>, _ frame: (x: Int, y: Int, canvasWidth: Int, canvasHeight: Int)?, _ most: Int
    ) -> Pixels? {
        var (width, height) = (Int32(0), Int32(0))
        guard WebPGetInfo(file.baseAddress, file.count, &width, &height) != 0 else { return nil }
        let frame = frame ?? (0, 0, Int(width), Int(height))
        guard isAllowed(frame.canvasWidth, frame.canvasHeight, most), frame.x + Int(width) <= frame.canvasWidth,
            frame.y + Int(height) <= frame.canvasHeight
        else { return nil }
        return Pixels(frame.canvasWidth, frame.canvasHeight) { bytes in
            let begin = (frame.y * frame.canvasWidth + frame.x) * 4
            let room = frame.canvasWidth * frame.canvasHeight * 4 - begin
            return WebPDecodeRGBAInto(
                file.baseAddress, file.count, bytes + begin, room, Int32(frame.canvasWidth * 4)) != nil
        }
    }
}
