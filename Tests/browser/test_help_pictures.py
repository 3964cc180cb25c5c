"""The pictures of /help are parts of pages as they are: on a phone, in both languages.

When a page has changed they are made again, with a built program:

    ANTHILL_MAKE_HELP_PICTURES=1 .venv/bin/python -m pytest Tests/browser/test_help_pictures.py
"""

import io
import os
import re

import pytest
from conftest import ROOT
from PIL import Image, ImageChops
from playwright.sync_api import expect
from service import running

HELP = ROOT / "Sources/AnthillServer/Documents/help.html"
ART = ROOT / "Sources/AnthillServer/Web/art/help"
# As wide as the smallest phones show it, at twice the density.
WIDTH, DENSITY = 390, 2
# Afternoon in Seoul, some days after the close of October.
NOW = "2026-11-18T08:00:00Z"
TALLEST = 420

# Where each is, and the part of the page.
PICTURES = {
    "alarm": ("/alarm", "form.card"),
    "growth": ("/calendar", "section.side table.cal"),
    "streak": ("/home", "section:has(#streak)"),
    "tasks": ("/tasks", "section[aria-labelledby=todo]"),
    "groups": ("/groups/{group}", "section.card:has(> table.board)"),
    "seals": ("/groups/{group}?period=month&at=2026-10", "section.seal"),
    "fairness": ("/groups/{group}/fairness", "main section.card"),
}
# The digest of a seal is another one in each demonstration, because its people have other ids; and timers run on.
OTHER_EACH_TIME = ".strata, .hash, [data-live]:not(.vh)"


@pytest.fixture(scope="module", params=["ko", "en"])
def shown(request, chromium):
    """The demonstration group's owner on a phone, in one language."""
    language = request.param
    with running(clock=NOW) as service:
        done = service.run("demo", "--group", LANG={"ko": "ko_KR.UTF-8", "en": "C.UTF-8"}[language])
        assert done.returncode == 0, done.stderr
        email, password = re.search(r"email +(\S+)\s+password +(\S+)", done.stdout).groups()
        context = chromium.new_context(
            base_url=service.origin, locale={"ko": "ko-KR", "en": "en-GB"}[language], timezone_id="Asia/Seoul",
            viewport={"width": WIDTH, "height": 844}, device_scale_factor=DENSITY, reduced_motion="reduce",
        )  # fmt: skip
        body = {"email": email, "password": password, "delivery": "cookie"}
        assert context.request.post("/api/v1/sign-ins", data=body, headers={"Origin": service.origin}).ok
        [group] = context.request.get("/api/v1/groups").json()["items"]
        yield context.new_page(), language, group["id"]
        context.close()


def taken(shown, name):
    """The picture of that name, as the page is now."""
    page, _, group = shown
    path, part = PICTURES[name]
    page.goto(path.format(group=group))
    page.wait_for_load_state("networkidle")
    # What floats over the page is in no picture.
    page.evaluate("document.querySelectorAll('.nav, .pin, .toast').forEach(it => { it.style.visibility = 'hidden' })")
    element = page.locator(part).first
    expect(element).to_be_visible()
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    clip = {**box, "height": min(box["height"], TALLEST)}
    png = page.screenshot(full_page=True, clip={**clip, "y": clip["y"] + page.evaluate("scrollY")})
    return Image.open(io.BytesIO(png)).convert("RGB")


def boxes(shown, name):
    """Where in the picture is what is another one each time."""
    part = shown[0].locator(PICTURES[name][1]).first
    left, top = part.bounding_box()["x"], part.bounding_box()["y"]
    for each in part.locator(OTHER_EACH_TIME).all():
        box = each.bounding_box()
        x, y = (box["x"] - left) * DENSITY, (box["y"] - top) * DENSITY
        yield tuple(map(round, (x, y, x + box["width"] * DENSITY, y + box["height"] * DENSITY)))


def difference(one, other):
    """How much two pictures differ where they differ most, from 0 to 255."""
    if one.size != other.size:
        return 255
    spots = ImageChops.difference(one, other).convert("L").resize((one.width // 16, one.height // 16), Image.Resampling.BOX)
    return spots.getextrema()[1]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_the_page_as_it_is(shown, name):
    now, file = taken(shown, name), ART / f"{name}.{shown[1]}.webp"
    if "ANTHILL_MAKE_HELP_PICTURES" in os.environ:
        now.save(file, "WEBP", quality=60, method=6)
        print(f"{file.name}: {now.width // DENSITY} × {now.height // DENSITY}, {file.stat().st_size} bytes")
    with Image.open(file) as kept:
        then = kept.convert("RGB")
    for box in boxes(shown, name):
        for picture in (now, then):
            picture.paste("white", box)
    # Faces have other colours in each demonstration, and WebP loses a little: less than 25. A moved line is 70.
    assert difference(now, then) < 40, f"{file.name} is older than the page; the head of this file says what to do"


def test_the_help_shows_each_picture_in_each_language_at_its_size():
    shown = re.findall(r'^(ko|en): <img src="{{art/help/(.+)}}" .*width="(\d+)" height="(\d+)"', HELP.read_text(), re.M)
    assert sorted(file for _, file, _, _ in shown) == sorted(f"{name}.{language}.webp" for name in PICTURES for language in ("ko", "en"))
    assert sorted(file.name for file in ART.iterdir()) == sorted(file for _, file, _, _ in shown)
    for language, file, width, height in shown:
        assert file.endswith(f".{language}.webp")
        with Image.open(ART / file) as picture:
            assert (picture.width // DENSITY, picture.height // DENSITY) == (int(width), int(height)), file
