"""A picture of oneself: chosen, cropped with the pointer and with keys, seen by others, and removed again."""

import re

import pytest
from drawing import BLUE, RED, corners, encoded, exif, quarters
from PIL import Image
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor, take_picture

TEXT = {
    "en": {
        "add": "Add a picture",
        "change": "Change picture",
        "remove": "Remove picture",
        "part": "The part that is shown",
        "zoom": "Zoom",
        "save": "Save picture",
        "saved": "Your picture is saved.",
        "removed": "Your picture is removed.",
        "unreadable": "This file can't be opened as a picture. Choose a PNG, JPEG or WebP file.",
        "too_many": "Too many attempts. Try again in 1 h.",
    },
    "ko": {
        "add": "사진 올리기",
        "change": "사진 바꾸기",
        "remove": "사진 삭제",
        "part": "보이는 부분",
        "zoom": "확대",
        "save": "사진 저장하기",
        "saved": "사진을 저장했어요.",
        "removed": "사진을 삭제했어요.",
        "unreadable": "사진으로 열 수 없는 파일이에요. PNG, JPEG, WebP 파일을 골라 주세요.",
        "too_many": "시도가 너무 많았어요. 1시간 뒤에 다시 해 주세요.",
    },
}
# Red on the left, blue on the right, twice as wide as high.
WIDE = {"name": "me.png", "mimeType": "image/png", "buffer": encoded(quarters(1600, 800, [RED, BLUE, RED, BLUE]))}


@pytest.fixture(params=["en", "ko"])
def mina(service, chromium, clock, request):
    visitor = Visitor(service, chromium, "Mina", request.param, viewport={"width": 390, "height": 844}, has_touch=True)
    visitor.have_account()
    visitor.text = TEXT[request.param]
    # Once somebody listens, no chooser opens before the test can answer it.
    visitor.page.on("filechooser", lambda chooser: None)
    visitor.page.goto("/settings")
    yield visitor
    visitor.leave()


def named(mina, name, role="button"):
    return mina.page.get_by_role(role, name=mina.text[name], exact=True)


def choose(mina, file=WIDE, opener="add"):
    """Chooses a file and gives the canvas on which it is cropped."""
    with mina.page.expect_file_chooser() as chooser:
        named(mina, opener).click()
    chooser.value.set_files(file)
    return mina.see(named(mina, "part", "application"))


def save(mina):
    """Saves the picture and gives what is served then."""
    named(mina, "save").click()
    expect(mina.page.get_by_role("dialog")).to_have_count(0)
    expect(mina.page.get_by_text(mina.text["saved"])).to_be_attached()
    expect(named(mina, "change")).to_be_focused()
    url = mina.see(mina.page.locator("header .face img.loaded")).get_attribute("src")
    return mina.context.request.get(url).body()


def test_a_picture_is_dragged_into_place(mina, pictures):
    page = mina.page
    box = choose(mina).bounding_box()
    assert box["width"] == box["height"] and box["width"] > 250
    take_picture(page, pictures / f"avatar-crop-{mina.language}.png")
    # Untouched, the middle is taken; dragged to the right, its left part comes into view, and no more than there is.
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 40, middle[1], steps=4)
    page.mouse.move(middle[0] + box["width"], middle[1] + 30, steps=4)
    page.mouse.up()
    page.mouse.move(middle[0] - 100, middle[1])
    assert corners(save(mina)) == [RED] * 4
    choose(mina, opener="change")
    assert corners(save(mina)) == [RED, BLUE, RED, BLUE]


def test_a_picture_is_placed_with_keys_alone(mina):
    page = mina.page
    named(mina, "add").focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(WIDE)
    canvas = mina.see(named(mina, "part", "application"))
    for _ in range(4):
        page.keyboard.press("Tab")
        if canvas.evaluate("canvas => canvas === document.activeElement"):
            break
    expect(canvas).to_be_focused()
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    zoom = named(mina, "zoom", "slider")
    expect(zoom).to_be_focused()
    page.keyboard.press("End")
    expect(zoom).to_have_value("5")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("-")
    expect(zoom).not_to_have_value("5")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(named(mina, "save")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    url = mina.see(page.locator("header .face img.loaded")).get_attribute("src")
    assert corners(mina.context.request.get(url).body()) == [BLUE] * 4


def test_two_fingers_and_the_wheel_zoom(mina):
    canvas, zoom = choose(mina), named(mina, "zoom", "slider")
    canvas.evaluate(
        """canvas => {
            const finger = (type, pointerId, clientX) =>
                canvas.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: 300, bubbles: true, pointerType: "touch" }));
            canvas.setPointerCapture = () => {};
            finger("pointerdown", 11, 150); finger("pointerdown", 12, 200);
            finger("pointermove", 12, 250); finger("pointerup", 11, 150); finger("pointerup", 12, 250);
            finger("pointermove", 12, 350);
        }"""
    )
    expect(zoom).to_have_value("2")
    canvas.hover()
    mina.page.mouse.wheel(0, 100)
    expect(zoom).to_have_value(re.compile(r"1\.8"))
    mina.page.keyboard.press("Escape")
    expect(mina.page.get_by_role("dialog")).to_have_count(0)
    expect(named(mina, "add")).to_be_focused()
    assert mina.page.locator(".face img").count() == 0


def test_a_picture_is_seen_on_boards_and_removed_again(mina, service, chromium, people, pictures):
    page = mina.page
    choose(mina)
    save(mina)
    take_picture(page, pictures / f"avatar-settings-{mina.language}.png", full_page=True)
    expect(page.locator(".face.a-64 img.loaded")).to_be_visible()
    mina.found_group("Early birds")
    code = mina.invite().rpartition("/")[2]
    other = people("Jun")
    other.join(code)
    other.start()
    page.goto("/home")
    page.get_by_role("button", name=mina.words["start"], exact=True).click()
    page.goto("/groups")
    page.get_by_role("link", name="Early birds").first.click()
    own = mina.see(page.locator("table.board tr.me"))
    expect(own.locator(".face img.loaded")).to_be_visible()
    expect(page.locator("table.board tr", has_text="Jun").locator(".face img")).to_have_count(0)
    # The letter stays behind the picture, in the same place: nothing moves when it comes.
    face = own.locator(".face")
    assert face.inner_text() == "M" and face.bounding_box() == own.locator(".face img").bounding_box()
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".room .grid .face img.loaded")).to_be_visible()
    take_picture(page, pictures / f"avatar-board-{mina.language}.png", full_page=True)
    page.get_by_role("button", name=mina.words["members"], exact=True).click()
    expect(page.get_by_role("dialog").locator(".face img.loaded")).to_have_count(1)
    take_picture(page, pictures / f"avatar-members-{mina.language}.png")

    page.goto("/settings")
    named(mina, "remove").click()
    expect(page.get_by_text(mina.text["removed"])).to_be_attached()
    expect(named(mina, "add")).to_be_focused()
    expect(named(mina, "remove")).to_have_count(0)
    expect(page.locator(".face img")).to_have_count(0)
    expect(page.locator("header .face")).to_have_text("M")


def test_the_letter_stays_if_the_picture_does_not_load(mina):
    page = mina.page
    choose(mina)
    save(mina)
    before = page.locator("header .face").bounding_box()
    page.route("**/avatar?v=*", lambda route: route.abort())
    page.context.new_cdp_session(page).send("Network.clearBrowserCache")
    page.reload()
    mina.see(page.locator("header .face"))
    expect(page.locator(".face img")).to_have_count(0)
    expect(page.locator("header .face")).to_have_text("M")
    assert page.locator("header .face").bounding_box() == before


@pytest.mark.parametrize(
    "name, content",
    [("note.png", b"hello"), ("none.jpg", b""), ("drawing.webp", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>")],
)
def test_a_file_that_is_no_picture_is_refused_in_words(mina, name, content):
    with mina.page.expect_file_chooser() as chooser:
        named(mina, "add").click()
    chooser.value.set_files({"name": name, "mimeType": "image/png", "buffer": content})
    expect(mina.page.get_by_role("alert").get_by_text(mina.text["unreadable"])).to_be_visible()
    expect(mina.page.get_by_role("dialog")).to_have_count(0)
    # Another file helps, and the words are gone.
    choose(mina)
    mina.page.keyboard.press("Escape")
    expect(mina.page.get_by_text(mina.text["unreadable"])).to_have_count(0)


def test_what_the_service_refuses_is_said_and_can_be_tried_again(mina, service):
    page = mina.page
    [[uid]] = service.cluster.sql("SELECT uid FROM user_emails WHERE email = %s", mina.email)
    service.cluster.sql(
        "INSERT INTO rate_limits SELECT 'picture', %s, 30, now, now, now + interval '1 hour' FROM anthill_clock() now", str(uid)
    )
    choose(mina)
    named(mina, "save").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_have_text(mina.text["too_many"])
    page.route("**/me/avatar", lambda route: route.abort())
    named(mina, "save").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).not_to_have_text(mina.text["too_many"])
    page.unroute("**/me/avatar")
    service.cluster.sql("DELETE FROM rate_limits WHERE kind = 'picture'")
    assert corners(save(mina)) == [RED, BLUE, RED, BLUE]


def test_what_is_transparent_stays_so_and_hides_the_letter(mina, pictures):
    image = Image.new("RGBA", (300, 300))
    image.paste((255, 0, 0, 255), (0, 0, 150, 150))
    choose(mina, {"name": "me.webp", "mimeType": "image/webp", "buffer": encoded(image, "WEBP", lossless=True)})
    assert corners(save(mina)) == [RED, None, None, None]
    take_picture(mina.page.locator("header .face"), pictures / f"avatar-transparent-{mina.language}.png")


def test_a_photo_stands_upright_on_the_canvas_already(mina):
    lying = encoded(quarters(1200, 900, [RED, RED, BLUE, BLUE]), "JPEG", exif=exif(6))
    choose(mina, {"name": "me.jpg", "mimeType": "image/jpeg", "buffer": lying})
    assert corners(save(mina)) == [BLUE, RED, BLUE, RED]


def test_the_sheet_and_the_card_are_well_made(mina, pictures):
    page = mina.page
    choose(mina)
    assert examine(mina, f"sheet-avatar-{mina.language}", pictures) == []
    save(mina)
    assert examine(mina, f"avatar-card-{mina.language}", pictures) == []
    page.set_viewport_size({"width": 320, "height": 640})
    canvas = choose(mina, opener="change").bounding_box()
    assert canvas["x"] >= 0 and canvas["x"] + canvas["width"] <= 320 and canvas["width"] == canvas["height"]
    assert canvas["y"] + canvas["height"] <= named(mina, "zoom", "slider").bounding_box()["y"]
    take_picture(page, pictures / f"avatar-crop-320-{mina.language}.png")
