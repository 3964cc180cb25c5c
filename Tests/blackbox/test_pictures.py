"""Profile pictures: what is taken, what is kept of it, and what is refused without harm."""

import base64
import concurrent.futures
import itertools
import random
import re

import pytest
from drawing import BLUE, GREEN, MEDIA, QUARTERS, RED, YELLOW, chunks, corners, encoded, exif, opened, png, quarters, scans
from person import expect
from PIL import Image, PngImagePlugin

ADDRESS = re.compile(r"/api/v1/users/([0-9a-f-]{36})/avatar\?v=([0-9a-f-]{36})")
FOR_EVER = "private, max-age=31536000, immutable"


def upload(person, content, media="image/png"):
    return person.ask("PUT", "/me/avatar", content=content, headers={"Content-Type": media})


def picture(person, url):
    return person.get(url.removeprefix("/api/v1"))


def kept(person, content, media="image/png"):
    """What is served after this was uploaded."""
    return expect(picture(person, expect(upload(person, content, media), 200).json()["avatar_url"]), 200).content


@pytest.fixture
def person(service, people):
    # All tests share an hour of a clock that stands still.
    service.cluster.sql("DELETE FROM rate_limits WHERE kind = 'picture'")
    return people(service)


# What is kept


@pytest.mark.parametrize("format", MEDIA)
def test_each_format_becomes_a_square_webp(person, format):
    answer = expect(upload(person, encoded(quarters(), format), MEDIA[format]), 200).json()
    uid, version = ADDRESS.fullmatch(answer["avatar_url"]).groups()
    assert uid == person.uid and person.get("/me").json()["avatar_url"] == answer["avatar_url"]
    served = expect(picture(person, answer["avatar_url"]), 200)
    assert served.headers["content-type"] == "image/webp" and served.headers["x-content-type-options"] == "nosniff"
    assert opened(served.content).format == "WEBP" and opened(served.content).size == (256, 256)
    assert corners(served.content) == QUARTERS


def xmp(format):
    note = "<x:xmpmeta>37.5665 N</x:xmpmeta>"
    if format != "PNG":
        return {"xmp": note.encode()}
    texts = PngImagePlugin.PngInfo()
    texts.add_itxt("XML:com.adobe.xmp", note)
    texts.add_text("Comment", "37.5665 N", zip=True)
    return {"pnginfo": texts}


@pytest.mark.parametrize("format", MEDIA)
def test_nothing_is_kept_of_where_and_with_what_it_was_taken(person, format):
    colours = b"\0\0\0\x80not a profile".ljust(128, b"\0")
    content = encoded(quarters(), format, exif=exif(place=True), icc_profile=colours, **xmp(format))
    assert b"A camera" in content and opened(content).getexif().get_ifd(0x8825)[4] == (126.0, 58.0, 40.0)
    webp = kept(person, content, MEDIA[format])
    assert set(chunks(webp)) <= {"VP8 ", "VP8L"}
    assert not any(trace in webp for trace in (b"Exif", b"camera", b"37.5665", b"profile", b"xmp"))


TURNED = {
    1: [RED, GREEN, BLUE, YELLOW],
    2: [GREEN, RED, YELLOW, BLUE],
    3: [YELLOW, BLUE, GREEN, RED],
    4: [BLUE, YELLOW, RED, GREEN],
    5: [RED, BLUE, GREEN, YELLOW],
    6: [BLUE, RED, YELLOW, GREEN],
    7: [YELLOW, GREEN, BLUE, RED],
    8: [GREEN, YELLOW, RED, BLUE],
}


@pytest.mark.parametrize("orientation, seen", TURNED.items())
def test_a_picture_that_was_taken_lying_stands_upright(person, orientation, seen):
    content = encoded(quarters(), "JPEG", exif=exif(orientation), quality=95)
    assert corners(kept(person, content, "image/jpeg")) == seen


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_other_formats_know_how_they_lie_as_well(person, format):
    assert corners(kept(person, encoded(quarters(), format, exif=exif(6)), MEDIA[format])) == TURNED[6]


def test_the_middle_of_a_wide_and_of_a_high_picture_is_kept(person):
    for width, height in ((1000, 400), (400, 1000)):
        image = Image.new("RGB", (width, height))
        image.paste(quarters(), ((width - 400) // 2, (height - 400) // 2))
        assert corners(kept(person, encoded(image))) == QUARTERS


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_what_is_transparent_stays_transparent(person, format):
    image = quarters().convert("RGBA")
    image.paste((0, 0, 0, 0), (200, 0, 400, 400))
    assert corners(kept(person, encoded(image, format), MEDIA[format])) == [RED, None, BLUE, None]


def test_an_animation_becomes_its_first_frame(person):
    first, second = Image.new("RGBA", (400, 400)), quarters().convert("RGBA")
    first.paste((0, 0, 255, 255), (200, 200, 400, 400))
    for format in ("PNG", "WEBP"):
        for frames, seen in (((first, second), [None, None, None, BLUE]), ((second, first), QUARTERS)):
            content = encoded(frames[0], format, save_all=True, append_images=[frames[1]], duration=100)
            assert opened(content).n_frames == 2
            assert corners(kept(person, content, MEDIA[format])) == seen


@pytest.mark.parametrize("mode", ["L", "CMYK", "P", "1", "I;16", "LA"])
def test_pictures_of_every_depth_are_read(person, mode):
    if mode == "CMYK":
        assert corners(kept(person, encoded(quarters().convert(mode), "JPEG"), "image/jpeg")) == QUARTERS
    elif mode == "P":
        assert corners(kept(person, encoded(quarters().convert(mode)))) == QUARTERS
    else:
        image = Image.new("L", (300, 300), 255).convert("I").convert("I;16") if mode == "I;16" else Image.new(mode, (300, 300), 1)
        assert opened(kept(person, encoded(image))).size == (256, 256)


@pytest.mark.parametrize("width, height", [(1, 1), (3, 700), (16383, 1)])
def test_a_picture_of_any_shape_becomes_a_square(person, width, height):
    image = Image.new("RGB", (width, height), RED)
    assert corners(kept(person, encoded(image, "WEBP", lossless=True), "image/webp")) == [RED] * 4


def test_the_picture_with_the_most_pixels_and_the_least_order_is_taken(person):
    """40 megapixels; and noise with transparency, of which the largest file is made."""
    assert corners(kept(person, encoded(quarters(8000, 5000)))) == QUARTERS
    noise = Image.frombytes("RGBA", (256, 256), random.Random(1).randbytes(256 * 256 * 4))
    assert 100_000 < len(kept(person, encoded(noise))) < 128 * 1024


# What is refused

GOOD = encoded(quarters())


def with_scans(count):
    before, scan, end = scans(encoded(Image.new("RGB", (6300, 6300), RED), "JPEG", progressive=True))
    return before + scan * count + end


# What takes seconds to make is made by the test that needs it.
REFUSED = {
    "nothing": b"",
    "text": b"hello " * 100,
    "gif": encoded(quarters(), "GIF"),
    "bmp": encoded(quarters(), "BMP"),
    "tiff": encoded(quarters(), "TIFF"),
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "html": b"<!doctype html><script>alert(1)</script>",
    "a gif that goes on as a png": encoded(quarters(), "GIF") + GOOD,
    "text that goes on as a png": b"GIF89a" + GOOD,
    "only a signature": GOOD[:8],
    "half a png": GOOD[: len(GOOD) // 2],
    "half a jpeg": encoded(quarters(), "JPEG")[:2000],
    "half a webp": encoded(quarters(), "WEBP")[:200],
    "a png with a wrong sum": GOOD[:60] + bytes([GOOD[60] ^ 255]) + GOOD[61:],
    "more megapixels than are taken": encoded(Image.new("1", (8000, 5001))),
    "65,000 pixels on each side": png(65000, 65000, rows=bytes(1_000_000)),
    "65,000 pixels on each side, all there": lambda: png(65000, 65000, colour=0, depth=1, rows=bytes(65000 * 8126)),
    "no width": png(0, 100),
    "sides that multiply to little": png(2**31 - 1, 2**31 - 1),
    "a heading that asks for the wrong colours": png(100, 100, colour=7, rows=bytes(40000)),
    "a colour profile of 900 MB": png(40, 40, (b"iCCP", b"x\0\0"), rows=bytes(100)),
    "a thousand scans": lambda: with_scans(1000),
    "a frame beside its canvas": encoded(quarters(), "WEBP", save_all=True, append_images=[Image.new("RGB", (400, 400))]).replace(
        b"ANMF", b"ANMF", 1
    ),
}
# The first frame's place on the canvas: 16 bytes of heading, then x as three bytes.
_at = REFUSED["a frame beside its canvas"].index(b"ANMF") + 8
REFUSED["a frame beside its canvas"] = (
    REFUSED["a frame beside its canvas"][:_at] + b"\xff\xff\x00" + REFUSED["a frame beside its canvas"][_at + 3 :]
)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_picture_is_refused_and_the_last_picture_stays(person, name):
    content = REFUSED[name]() if callable(REFUSED[name]) else REFUSED[name]
    assert len(content) < 5 * 1024 * 1024
    before = expect(upload(person, GOOD), 200).json()["avatar_url"]
    for media in MEDIA.values():
        expect(upload(person, content, media), 422, "invalid_picture")
    assert person.get("/me").json()["avatar_url"] == before
    assert expect(picture(person, before), 200).headers["cache-control"] == FOR_EVER


def test_what_hides_behind_a_picture_is_not_kept(person):
    for content in (GOOD + b"<script>alert(1)</script>", encoded(quarters(), "JPEG") + b"PK\3\4 a zip"):
        webp = kept(person, content)
        assert corners(webp) == QUARTERS and b"script" not in webp and b"PK\3\4" not in webp


def test_a_file_that_was_damaged_at_any_place_ends_in_an_answer(service, people):
    """2 kinds of damage at random places: a picture comes out or none, and never an error of the service."""
    chance = random.Random(7)
    service.cluster.sql("DELETE FROM rate_limits")
    for _ in range(3):
        person = people(service)
        for format in MEDIA:
            content = bytearray(encoded(quarters(90, 70), format, exif=exif(6)))
            for _ in range(9):
                damaged = bytearray(content)
                for _ in range(chance.randint(1, 8)):
                    damaged[chance.randrange(12, len(damaged))] = chance.randrange(256)
                if chance.random() < 0.3:
                    del damaged[chance.randrange(len(damaged)) :]
                assert upload(person, bytes(damaged), MEDIA[format]).status_code in (200, 422)


def test_another_type_is_415(person):
    for media in ("image/gif", "image/svg+xml", "text/html", "application/json", "image/png; charset=utf-8", ""):
        expect(upload(person, GOOD, media), 415, "not_a_picture")


def test_a_larger_file_is_413(person):
    expect(upload(person, GOOD.ljust(5 * 1024 * 1024 + 1, b"\0")), 413, "content_too_large")
    assert corners(kept(person, GOOD.ljust(5 * 1024 * 1024, b"\0"))) == QUARTERS


def test_nobody_uploads_without_end(service, person):
    for _ in range(30):
        expect(upload(person, b"none"), 422)
    answer = expect(upload(person, GOOD), 429, "too_many_attempts")
    assert answer.headers["retry-after"] == "3600"
    service.advance_clock(3600)
    expect(upload(person, GOOD), 200)


def test_twenty_uploads_at_once_are_all_answered(service, person):
    """Of one person; each is a picture of its own, and the last one stays."""
    colours = itertools.islice(itertools.product((0, 120, 255), repeat=3), 20)
    files = [encoded(Image.new("RGB", (1500, 1500), colour)) for colour in colours]
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda file: upload(person, file), files))
    addresses = {expect(answer, 200).json()["avatar_url"] for answer in answers}
    assert len(addresses) == 20
    assert person.get("/me").json()["avatar_url"] in addresses
    assert service.cluster.sql("SELECT count(*) FROM avatars WHERE uid = %s", person.uid) == [(1,)]


# Where it is


def test_an_address_names_one_picture_for_ever(person):
    first = expect(upload(person, GOOD), 200).json()["avatar_url"]
    assert expect(upload(person, GOOD), 200).json()["avatar_url"] == first
    second = expect(upload(person, encoded(quarters(colours=QUARTERS[::-1]))), 200).json()["avatar_url"]
    assert first != second
    now = expect(picture(person, second), 200)
    assert now.headers["cache-control"] == FOR_EVER and corners(now.content) == QUARTERS[::-1]
    # An older address, or one without a version, shows the picture of today and does not promise that it stays.
    for path in (first, second.partition("?")[0], second[:-1] + "x"):
        answer = expect(picture(person, path), 200)
        assert answer.content == now.content and answer.headers["cache-control"] == "private, no-cache"
    tag = now.headers["etag"]
    assert person.get(second.removeprefix("/api/v1"), headers={"If-None-Match": tag}).status_code == 304
    assert person.ask("HEAD", second.removeprefix("/api/v1")).headers["content-type"] == "image/webp"


def test_a_picture_that_is_removed_is_gone(service, person):
    url = expect(upload(person, GOOD), 200).json()["avatar_url"]
    for _ in range(2):
        expect(person.delete("/me/avatar"), 204)
    assert person.get("/me").json()["avatar_url"] is None
    expect(picture(person, url), 404, "not_found")
    kinds = service.cluster.sql("SELECT kind FROM audit_events WHERE uid = %s AND kind LIKE 'picture%%' ORDER BY id", person.uid)
    assert kinds == [("picture_changed",), ("picture_removed",)]


def test_an_address_of_nobody_is_404(person):
    for uid in (person.uid, "00000000-0000-4000-8000-000000000000", "me", "x"):
        expect(person.get(f"/users/{uid}/avatar"), 404, "not_found")


def test_nobody_who_is_not_signed_in_may_do_anything(service, person, people):
    url = expect(upload(person, GOOD), 200).json()["avatar_url"]
    stranger = people(service, registered=False)
    expect(upload(stranger, GOOD), 401, "not_signed_in")
    expect(stranger.delete("/me/avatar"), 401)
    expect(picture(stranger, url), 401)


def test_a_picture_is_in_the_export(person):
    webp = kept(person, GOOD)
    exported = person.get("/me/export").json()["avatars"]
    assert [base64.b64decode(row["webp"]) for row in exported] == [webp]
