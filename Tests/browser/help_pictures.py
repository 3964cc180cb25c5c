"""The pictures of /help, from pages as they are: parts of them on a phone, in both languages.

They are made again by hand, with a built program:

    .venv/bin/python -m pytest Tests/browser/help_pictures.py
"""

import io
import re

import pytest
from conftest import ROOT
from PIL import Image
from playwright.sync_api import expect
from service import running

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


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_made(shown, name):
    page, language, group = shown
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
    picture = Image.open(io.BytesIO(page.screenshot(full_page=True, clip={**clip, "y": clip["y"] + page.evaluate("scrollY")})))
    ART.mkdir(parents=True, exist_ok=True)
    file = ART / f"{name}.{language}.webp"
    picture.convert("RGB").save(file, "WEBP", quality=60, method=6)
    print(f"{file.name}: {picture.width // DENSITY} × {picture.height // DENSITY}, {file.stat().st_size} bytes")
