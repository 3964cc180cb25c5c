"""Every page in both themes, on a phone and on a wide screen: axe finds nothing, nothing scrolls sideways, and the
content security policy has nothing to say."""

import json
import os

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from person import Person
from playwright.sync_api import expect
from visitor import Visitor

WIDTHS = {"wide": (1280, 900), "phone": (390, 844)}
# Without this axe fetches the styles again for each look.
OPTIONS = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}}
# The themes differ in colours only (a test below shows it), so in the second one axe only checks colours.
THEMES = {"light": OPTIONS, "dark": {**OPTIONS, "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}}


@pytest.fixture(scope="module")
def town(service):
    """A group with something on its board, and its owner's address and password."""
    owner = Person(service, "Dodam", language="ko").register(nickname="도담", locale="ko")
    friend = Person(service, "Minji").register(nickname="Minji Park")
    group = owner.found_group("새벽 다섯시 스터디", description="국가고시를 함께 준비해요")
    code = owner.invite(group)["code"]
    friend.join(code)
    friend.start()
    owner.start(goal_seconds=7200)
    yield {"owner": owner, "group": group["id"], "code": code}
    owner.close()
    friend.close()


def sign_in(visitor, town):
    visitor.sign_in(town["owner"].email)


def violations(page, options=OPTIONS):
    """The violations that axe finds on the page as it is now."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    return page.evaluate("options => axe.run(options).then(({ violations }) => violations)", options)


def examine(visitor, name, pictures):
    """Checks the page as it is now in both themes and widths, and returns what is wrong. With ANTHILL_TEST_PICTURES set
    it also saves pictures."""
    page = visitor.page
    found = [f"{name}: {complaint}" for complaint in visitor.complaints]
    for theme, options in THEMES.items():
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for label, (width, height) in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            overflow = page.evaluate("document.documentElement.scrollWidth") - width
            if overflow > 0:
                found.append(f"{name}, {label}: {overflow} px too wide")
            if "ANTHILL_TEST_PICTURES" in os.environ:
                whole = not name.startswith("sheet")
                page.screenshot(path=pictures / f"{name}-{label}-{theme}.png", full_page=whole, caret="initial")
            for violation in violations(page, options):
                nodes = [node["html"] for node in violation["nodes"]]
                found.append(f"{name}, {label}, {theme}: {violation['id']} {json.dumps(nodes, ensure_ascii=False)}")
    page.set_viewport_size({"width": 320, "height": 640})
    if page.evaluate("document.documentElement.scrollWidth") > 320:
        found.append(f"{name}: too wide at 320 px")
    # Axe adds styles to measure colours, which the policy rightly blocks.
    visitor.complaints.clear()
    page.set_viewport_size({"width": 1280, "height": 900})
    return found


@pytest.fixture
def stranger(service, chromium):
    visitor = Visitor(service, chromium, "Stranger", "en")
    yield visitor
    visitor.leave()


@pytest.fixture
def member(service, chromium, town):
    visitor = Visitor(service, chromium, "도담", "ko")
    sign_in(visitor, town)
    yield visitor
    visitor.leave()


PUBLIC = [
    "/",
    "/register",
    "/sign-in",
    "/reset",
    "/help",
    "/welcome",
    "/welcome#token=x",
    "/new-password",
    "/new-password#token=x",
    "/find-email",
    "/new-email",
    "/new-email#token=x",
    "/keep-email",
    "/keep-email#token=x",
    "/provider",
    "/nothing/here",
]


@pytest.mark.parametrize("path", PUBLIC)
def test_a_page_for_everyone_is_well_made(stranger, pictures, path):
    stranger.page.goto(path)
    stranger.see(stranger.page.get_by_role("heading", level=1))
    assert examine(stranger, "public" + path.replace("/", "-").replace("#token=x", "-token"), pictures) == []


def test_the_invitation_is_well_made_for_strangers(stranger, town, pictures):
    stranger.page.goto(f"/join/{town['code']}")
    stranger.see(stranger.page.get_by_role("link", name=stranger.words["have_account"]))
    found = examine(stranger, "join-stranger", pictures)
    stranger.page.goto("/join/no-such-code")
    stranger.see(stranger.page.get_by_role("heading", level=1))
    assert found + examine(stranger, "join-gone", pictures) == []


MEMBER = ["home", "groups", "board", "calendar", "join", "settings", "activity", "alarm", "leave"]


@pytest.mark.parametrize("name", MEMBER)
def test_a_members_page_is_well_made(member, town, pictures, name):
    paths = {"board": f"/groups/{town['group']}", "join": f"/join/{town['code']}"}
    member.page.goto(paths.get(name, f"/{name}"))
    member.see(member.page.locator("main h1"))
    member.settle()
    assert examine(member, name, pictures) == []


@pytest.mark.parametrize(
    "name, page, button",
    [("log", "home", "log"), ("new-group", "groups", "new_group"), ("invite", "board", "invite"), ("members", "board", "members")],
)
def test_a_sheet_is_well_made_and_returns_the_focus(member, town, pictures, name, page, button):
    member.page.goto(f"/groups/{town['group']}" if page == "board" else f"/{page}")
    opener = member.button(button)
    opener.click()
    dialog = member.see(member.page.get_by_role("dialog"))
    member.settle()
    assert examine(member, f"sheet-{name}", pictures) == []
    member.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(opener).to_be_focused()


def test_trouble_is_well_made(member, pictures):
    member.page.goto("/groups/00000000-0000-4000-8000-000000000000")
    member.see(member.page.get_by_role("heading", level=1))
    assert examine(member, "no-such-group", pictures) == []


def test_the_dark_theme_changes_colours_only(stranger):
    stranger.page.goto("/")
    declared = stranger.page.evaluate(
        """() => {
            const inside = (rule) => rule.cssRules?.length ? [...rule.cssRules].flatMap(inside) : [rule];
            return [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules])
                .filter(({ cssText }) => /prefers-color-scheme|data-theme/.test(cssText)).flatMap(inside)
                .flatMap(({ style }) => [...style].map((name) => [name, style.getPropertyValue(name)]));
        }"""
    )
    assert len(declared) > 100
    of_themes = {name for name, _ in declared if name.startswith("--")}
    assert {name for name, _ in declared} - of_themes == {"color-scheme"}
    colours = stranger.page.evaluate("all => all.filter(([, value]) => CSS.supports('color', value))", declared)
    assert {name for name, _ in colours} == of_themes


def test_both_languages_have_words_for_the_same_things(stranger):
    stranger.page.goto("/")
    shapes = stranger.page.evaluate(
        """async () => {
            const shape = (value) =>
                value instanceof Node ? "node"
                : Array.isArray(value) ? value.map(shape)
                : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
                : typeof value;
            const [ko, en] = await Promise.all([import("/js/words/ko.js"), import("/js/words/en.js")]);
            for (const { words } of [ko, en]) { delete words.landing.sample; }
            return [shape(ko.words), shape(en.words)];
        }"""
    )
    assert shapes[0] == shapes[1]
