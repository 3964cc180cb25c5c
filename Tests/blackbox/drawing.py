"""Pictures for the tests, made here: four coloured quarters in each format, and files that are none."""

import io
import struct
import zlib

from PIL import Image

RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
QUARTERS = [RED, GREEN, BLUE, YELLOW]
MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}


def quarters(width=400, height=400, colours=QUARTERS):
    """Four colours: top left, top right, bottom left, bottom right."""
    image = Image.new("RGB", (2, 2))
    image.putdata(colours)
    return image.resize((width, height), Image.Resampling.NEAREST)


def encoded(image, format="PNG", **options):
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def opened(content):
    image = Image.open(io.BytesIO(content))
    image.load()
    return image


def corners(content):
    """The colours of the four quarters, each rounded to the nearest of those drawn; None where it is transparent."""
    image = opened(content).convert("RGBA")
    side = image.width
    found = [image.getpixel((x, y)) for y in (side // 4, side * 3 // 4) for x in (side // 4, side * 3 // 4)]
    return [None if colour[3] < 128 else tuple(255 if part > 127 else 0 for part in colour[:3]) for colour in found]


def exif(orientation=1, place=False):
    data = Image.Exif()
    data[0x0112] = orientation
    data[0x010F] = "A camera"
    if place:
        data.get_ifd(0x8825).update({1: "N", 2: (37.0, 33.0, 58.0), 3: "E", 4: (126.0, 58.0, 40.0)})
    return data


def png(width, height, *more, colour=2, depth=8, rows=b""):
    """A PNG with that heading, whatever is in it."""

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    heading = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    parts = [(b"IHDR", heading), *more, (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def scans(content):
    """A progressive JPEG in its parts: what comes before the last scan, the last scan, and the end."""
    start = content.rindex(b"\xff\xda")
    return content[:start], content[start:-2], content[-2:]


def chunks(webp):
    """The names of the parts of a WebP file."""
    assert webp[:4] == b"RIFF" and webp[8:12] == b"WEBP" and struct.unpack("<I", webp[4:8])[0] == len(webp) - 8
    names, at = [], 12
    while at < len(webp):
        size = struct.unpack("<I", webp[at + 4 : at + 8])[0]
        names.append(webp[at : at + 4].decode())
        at += 8 + size + size % 2
    return names


def patient_jpeg(side, passes):
    """A JPEG of a few hundred KB that is right in every detail and takes a decoder seconds: each scan adds one of 63
    details to one of three colours in all of the picture, and adds nothing."""

    def segment(marker, content):
        return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content

    def scan(components, first, last, before, after, bits):
        bits += "1" * (-len(bits) % 8)
        body = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
        heading = bytes([len(components)]) + b"".join(bytes([one, 0]) for one in components)
        return segment(0xDA, heading + bytes([first, last, before << 4 | after])) + body

    blocks = ((side + 7) // 8) ** 2
    heading = struct.pack(">BHHB", 8, side, side, 3) + b"".join(bytes([one, 0x11, 0]) for one in (1, 2, 3))
    # One code in each table: "no difference", and "nothing in the next 16,384 blocks and as many more as 14 bits say".
    codes = bytes([1] + [0] * 15)
    nothing = ("0" + "1" * 14) * (blocks // 32767 + 1)
    details = [
        scan([colour], detail, detail, 0 if after == passes - 1 else after + 1, after, nothing)
        for after in reversed(range(passes))
        for detail in range(1, 64)
        for colour in (1, 2, 3)
    ]
    return (
        b"\xff\xd8"
        + segment(0xDB, b"\0" + b"\1" * 64)
        + segment(0xC2, heading)
        + segment(0xC4, b"\0" + codes + b"\0")
        + segment(0xC4, b"\x10" + codes + b"\xe0")
        + scan([1, 2, 3], 0, 0, 0, 0, "0" * (blocks * 3))
        + b"".join(details)
        + b"\xff\xd9"
    )
