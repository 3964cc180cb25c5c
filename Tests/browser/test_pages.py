"""Every page in both themes, on a phone and on a wide screen: axe finds nothing, nothing scrolls sideways, the content
security policy has nothing to say, and the keyboard reaches everything."""

import json
import re
from pathlib import Path

import keyboard
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from person import Person
from playwright.sync_api import expect
from visitor import WANTS_PICTURES, WIDE, Visitor, take_picture

WIDTHS = {"wide": WIDE, "phone": {"width": 390, "height": 844}}
# In this order little changes from one look to the next.
LOOKS = [("phone", "light"), ("phone", "dark"), ("wide", "dark"), ("wide", "light")]
# Without this axe fetches the styles again for each look.
OPTIONS = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}}
COLOURS = ["color-contrast", "link-in-text-block"]
COLOURS_ALONE = {**OPTIONS, "runOnly": {"type": "rule", "values": COLOURS}}
ALL_BUT_COLOURS = {**OPTIONS, "rules": {rule: {"enabled": False} for rule in COLOURS}}
# Axe leaves the contrast of text in front of a pseudo-element undecided, and looks for these most of its time.
# `configure` replaces all options of a check, the ratios too, so they are repeated.
BACKGROUNDS = """; axe.configure({ checks: [{
    id: "color-contrast", options: { ...axe._audit.checks["color-contrast"].options, ignorePseudo: true },
}] });"""
# What has other colours on a wide screen.
OTHER_COLOURS = ".nav, .flat"
# In which language each page was examined first.
first_language = {}


@pytest.fixture(scope="module")
def town(service):
    """A group with something on its board, and its owner's address and password."""
    owner = Person(service, "Dodam", language="ko").register(nickname="도담", locale="ko")
    # A name without a space in it, and one from right to left.
    friend = Person(service, "Minji").register(nickname="Bartholomew-Featherstonehaugh-of-Slaught")
    leila = Person(service, "Leila").register(nickname="ليلى العمري")
    public = {"badge_allowed": True, "board_public": True}
    group = owner.found_group("새벽 다섯시 스터디", description="국가고시를 함께 준비해요", **public)
    code = owner.invite(group)["code"]
    service.cluster.sql("SELECT make_site_admin(%s, 'the operator') IS NULL", owner.uid)
    for person in (friend, leila):
        person.join(code)
        person.start()
    owner.start(goal_seconds=7200)
    yield {"owner": owner, "friend": friend, "group": group["id"], "code": code}
    for person in (owner, friend, leila):
        person.close()


def sign_in(visitor, town):
    visitor.sign_in(town["owner"].email)


# What axe looks at: all, or what the last look at all did not show, what lost a part since, and what has other colours on a
# wide screen. Under a sheet nothing can be read, so it looks at the sheet alone.
AXE = """async ([options, isNew, otherColours]) => {
    if (typeof axe === "undefined") return null;
    const all = document.querySelector("dialog:modal") ?? document;
    const shown = new Set([...document.body.querySelectorAll("*")].filter((each) => all.contains(each) && each.checkVisibility()));
    if (!isNew) {
        globalThis.lastShown = shown;
        return (await axe.run(all, options)).violations;
    }
    const without = new Set([...lastShown].filter((each) => !shown.has(each)).map((each) => each.closest("a, button, label, summary")));
    const include = [...shown].filter((each) => !lastShown.has(each) || without.has(each) || each.matches(otherColours));
    return include.length > 0 ? (await axe.run({ include }, options)).violations : [];
}"""


def violations(page, options=OPTIONS, is_new=False):
    """The violations that axe finds on the page as it is now, or only in what is new on it."""
    found = page.evaluate(AXE, [options, is_new, OTHER_COLOURS])
    if found is None:
        page.evaluate(AXE_SCRIPT + BACKGROUNDS)
        found = page.evaluate(AXE, [options, is_new, OTHER_COLOURS])
    return found


def violations_of_look(page, label, theme, is_first):
    """Axe checks the whole page on a phone, and on a wide screen what differs there. Themes differ in colours only, languages
    do not differ in colours, and of what both widths show only OTHER_COLOURS do (tests below show all three). So it checks
    colours alone in the dark theme, and all but colours where it has seen the same page in the other language. Such a page is
    shown in the dark theme for its picture alone."""
    if theme == "dark" and not is_first:
        return []
    options = ALL_BUT_COLOURS if not is_first else COLOURS_ALONE if theme == "dark" else OPTIONS
    return violations(page, options, is_new=label == "wide")


# What a finger can press is at least 44 px high and 24 wide. Links within a sentence are as high as their line; so close to
# each other that they are only 24 px high are the pencils of a day's sessions and the second figure in a row of a board.
TOO_SMALL = """() => {
    const small = [];
    const [left, top] = [scrollX, scrollY];
    for (const each of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary, textarea")) {
        const all = { visibilityProperty: true, opacityProperty: true };
        if (!each.checkVisibility(all) || each.localName === "a" && getComputedStyle(each).display === "inline") continue;
        each.scrollIntoView({ block: "center", inline: "center" });
        const { x, y, width, height } = each.getBoundingClientRect();
        const hits = (across, down) => {
            const there = document.elementFromPoint(x + width / 2 + across, y + height / 2 + down);
            return each.contains(there) || there?.closest("label")?.control === each;
        };
        if (!hits(0, 0)) continue;
        const half = each.matches(".change, .also .link") ? 11 : 21;
        if (![[0, -half], [0, half], [-11, 0], [11, 0]].every(([across, down]) => hits(across, down))) {
            small.push(`${each.outerHTML.slice(0, 120)} is ${Math.round(width)} × ${Math.round(height)}`);
        }
    }
    scrollTo(left, top);
    return small;
}"""


# Pictures that the sprite does not have.
BLANK = """() => [...document.querySelectorAll("svg > use")]
    .filter((each) => each.parentElement.checkVisibility() && each.getBBox().width === 0)
    .map((each) => each.getAttribute("href"))"""

# How many pixels the page, or the sheet that is open, is wider than what is seen of it, with letters of that size.
TOO_WIDE = """(letters = "") => {
    document.documentElement.style.fontSize = letters;
    const pixels = [document.documentElement, ...document.querySelectorAll("dialog[open]")]
        .map((each) => each.scrollWidth - each.clientWidth);
    document.documentElement.style.fontSize = "";
    return Math.max(...pixels);
}"""


def resize(page, **size):
    """Whether the window had another size."""
    is_other = page.viewport_size != size
    if is_other:
        page.set_viewport_size(size)
    return is_other


def examine(visitor, name, pictures):
    """Checks the page as it is now in both themes and widths, and returns what is wrong. With ANTHILL_TEST_PICTURES set
    it also saves pictures."""
    page = visitor.page
    found = [f"{name}: {complaint}" for complaint in visitor.complaints]
    resize(page, width=320, height=640)
    if page.evaluate(TOO_WIDE) > 0:
        found.append(f"{name}: too wide at 320 px")
    # A laptop's window at 200 %, and letters twice as large.
    resize(page, width=640, height=450)
    overflow = page.evaluate(TOO_WIDE, "200%")
    if overflow > 0:
        found.append(f"{name}: {overflow} px too wide at 200 %")
    first = first_language.setdefault(name.removesuffix(f"-{visitor.language}"), visitor.language)
    is_first = first == visitor.language
    for label, theme in LOOKS:
        if theme == "dark" and not is_first and not WANTS_PICTURES:
            continue
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        if resize(page, **WIDTHS[label]) and (overflow := page.evaluate(TOO_WIDE)) > 0:
            found.append(f"{name}, {label}: {overflow} px too wide")
        take_picture(page, pictures / f"{name}-{label}-{theme}.png", full_page=not name.startswith("sheet"), caret="initial")
        if (label, theme) == ("phone", "light"):
            found += [f"{name}, {label}: {small}" for small in page.evaluate(TOO_SMALL)]
            found += [f"{name}, {label}: no picture {blank}" for blank in page.evaluate(BLANK)]
        for violation in violations_of_look(page, label, theme, is_first):
            nodes = [node["html"] for node in violation["nodes"]]
            found.append(f"{name}, {label}, {theme}: {violation['id']} {json.dumps(nodes, ensure_ascii=False)}")
    # Axe adds styles to measure colours, which the policy rightly blocks.
    visitor.complaints.clear()
    return found


@pytest.fixture(scope="module")
def readers(service, chromium, town):
    """Two who only look at pages: they go from test to test."""
    stranger, member = Visitor(service, chromium, "Stranger", "en"), Visitor(service, chromium, "도담", "ko")
    sign_in(member, town)
    yield stranger, member
    for reader in (stranger, member):
        reader.leave()


def come(reader):
    """The same reader once more, with nothing left of the last test."""
    reader.page.goto("about:blank")
    resize(reader.page, **WIDE)
    reader.complaints.clear()
    return reader


@pytest.fixture
def stranger(readers):
    yield come(readers[0])
    assert readers[0].complaints == []


@pytest.fixture
def member(readers):
    yield come(readers[1])
    assert readers[1].complaints == []


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
    "/unsubscribe/digest_mail/x",
    "/offline",
    "/nothing/here",
]


@pytest.fixture
def mailed(service, stranger, town):
    """A token that works, by the page to which its mail leads."""

    def token(page):
        path, address = {"/welcome": ("/registrations", stranger.email), "/new-password": ("/password-resets", town["owner"].email)}[page]
        already = len(service.letters(address))
        stranger.ask(path, {"email": address})
        return service.token_from_mail(address, already=already)

    return token


@pytest.mark.parametrize("path", PUBLIC)
def test_a_page_for_everyone_is_well_made(stranger, mailed, pictures, path):
    page, found, _ = path.partition("#token=")
    # The other two send the token only when a button is pressed.
    stranger.page.goto(f"{page}#token={mailed(page)}" if found and page in ("/welcome", "/new-password") else path)
    stranger.see(stranger.page.get_by_role("heading", level=1))
    stranger.settle()
    assert keyboard.complaints(stranger.page) == []
    assert examine(stranger, "public" + path.replace("/", "-").replace("#token=x", "-token"), pictures) == []


def test_an_address_without_a_dot_is_answered_with_an_example(stranger):
    stranger.page.goto("/register")
    stranger.field("email").fill("minji@nowhere")
    stranger.button("send").click()
    stranger.see(stranger.page.get_by_text("Enter an address like dodam@example.kr."))


def test_the_invitation_is_well_made_for_strangers(stranger, town, pictures):
    stranger.page.goto(f"/join/{town['code']}")
    stranger.see(stranger.page.get_by_role("link", name=stranger.words["have_account"]))
    found = examine(stranger, "join-stranger", pictures)
    stranger.page.goto("/join/no-such-code")
    stranger.see(stranger.page.get_by_role("heading", level=1))
    assert found + examine(stranger, "join-gone", pictures) == []


# Pages of members, by their script.
MEMBER = [
    "home", "groups", "group", "fairness", "board", "calendar", "tasks", "join", "settings", "activity", "alarm", "invite", "leave",
    "admin", "find-groups",
]  # fmt: skip


def test_every_page_is_looked_at():
    sources = Path(__file__).parents[2] / "Sources/AnthillServer"
    pages = {path.stem for path in [*sources.glob("Web/pages/*.js"), *sources.glob("Documents/*.html")]}
    public = {path.partition("#")[0].split("/")[1] or "index" for path in PUBLIC} - {"nothing"} | {"404"}
    assert pages == public | set(MEMBER)


@pytest.mark.parametrize("name", MEMBER)
def test_a_members_page_is_well_made(member, town, pictures, name):
    group = f"/groups/{town['group']}"
    paths = {"group": group, "fairness": f"{group}/fairness", "join": f"/join/{town['code']}", "find-groups": "/groups/find"}
    member.page.goto(paths.get(name, f"/{name}"))
    member.see(member.page.locator("main h1").first)
    member.settle()
    expect(member.page.locator("h1")).to_have_count(1)
    assert keyboard.complaints(member.page) == []
    assert examine(member, name, pictures) == []


def test_a_site_admins_link_fits_beside_a_running_timer_on_a_small_phone(member):
    page = member.page
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/tasks")
    member.see(page.locator(".running"))
    member.see(page.get_by_role("link", name="관리", exact=True))
    member.see(page.get_by_role("link", name="공부 개미"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("name", ["home", "group"])
def test_a_long_name_leaves_room_for_the_chip_of_ones_own_row(service, chromium, town, name):
    visitor = Visitor(service, chromium, "Bartholomew", "en", viewport={"width": 390, "height": 844})
    visitor.sign_in(town["friend"].email)
    visitor.page.goto({"home": "/home", "group": f"/groups/{town['group']}"}[name])
    name = visitor.see(visitor.page.locator(".board .me .nick"))
    chip = name.get_by_text("You", exact=True)
    outer, inner = name.bounding_box(), chip.bounding_box()
    assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] and inner["y"] + inner["height"] <= outer["y"] + outer["height"]
    visitor.leave()


def test_on_a_phone_a_rank_that_stayed_is_level_with_its_time(stranger):
    page = stranger.page
    resize(page, **WIDTHS["phone"])
    page.goto("/help")
    away = page.evaluate("""async () => {
        const { table, rows } = await import("/js/boards/board.js");
        const board = table("", { user: { uid: null } });
        document.querySelector("main").replaceChildren(board.root);
        const entry = { uid: "a", nickname: "A", rank: 4, seconds: 60, manual_seconds: 0, change: 0 };
        board.update(rows({ order: "seconds", participants: 1, next: null, me: null, entries: [entry] }));
        const middle = (part) => {
            const { top, bottom } = board.body.querySelector(part).getBoundingClientRect();
            return (top + bottom) / 2;
        };
        return middle(".rank .n") - middle(".time > :first-child");
    }""")
    assert abs(away) < 3


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


# The sheets of a group in which many controls stand side by side, by the buttons that lead to them.
OF_A_GROUP = [
    ["모임 설정"],
    *(["모임 설정", name] for name in ("규칙 바꾸기", "웹훅", "배지 붙이기")),
    ["특정 시점의 순위"],
]


def test_the_sheets_of_a_group_fit_a_small_phone(member, town):
    page = member.page
    page.set_viewport_size({"width": 320, "height": 640})
    for path in OF_A_GROUP:
        page.goto(f"/groups/{town['group']}")
        for name in path:
            member.see(page.get_by_role("button", name=name, exact=True)).click()
        member.see(page.get_by_role("dialog"))
        member.settle()
        assert (page.evaluate(TOO_WIDE), page.evaluate(BLANK)) == (0, []), path


NO_GROUP = "/groups/00000000-0000-4000-8000-000000000000"


def test_trouble_is_well_made(member, pictures):
    member.page.goto(NO_GROUP)
    member.see(member.page.get_by_role("heading", level=1))
    assert examine(member, "no-such-group", pictures) == []


def test_trouble_is_heard_and_tried_again_without_losing_the_focus(member):
    page = member.page
    page.goto(NO_GROUP)
    title = member.see(page.get_by_role("heading", level=1)).inner_text()
    expect(page.locator("body > [role=status]")).to_have_text(title)
    page.route("**/api/v1/me/tasks*", lambda route: route.fulfill(status=500))
    page.goto("/tasks")
    expect(page.locator("body > [role=status]")).to_have_text("문제가 생겼어요")
    again = page.get_by_role("button", name="다시 시도")
    with page.expect_response("**/api/v1/me/tasks*"):
        again.click()
    expect(page.get_by_role("main")).to_be_focused()
    page.unroute_all()
    again.click()
    expect(again).to_have_count(0)


def test_with_the_colours_of_the_system_a_switch_shows_whether_it_is_on(service, chromium, town):
    visitor = Visitor(service, chromium, "도담", "ko", forced_colors="active")
    sign_in(visitor, town)
    visitor.page.goto("/settings")
    switch = visitor.see(visitor.page.get_by_role("switch").first)
    looks = []
    for is_on in (True, False):
        switch.evaluate("(it, isOn) => { it.checked = isOn; }", is_on)
        looks.append(switch.screenshot(animations="disabled"))
    assert looks[0] != looks[1]
    visitor.leave()


def test_a_page_that_has_nothing_to_show_is_as_narrow_as_a_form(member):
    for path in ("/nothing/here", NO_GROUP, "/admin/nothing", "/join/no-such-code"):
        member.page.goto(path)
        heading = member.see(member.page.get_by_role("heading", level=1))
        card = member.see(member.page.locator(".card", has=heading)).bounding_box()
        assert (card["width"], card["x"] * 2 + card["width"]) == (432, WIDE["width"]), path


# A fault of each kind that `examine` must find.
FAULTS = """
    <style>
        #pale, #wide-pale { color: #ddd !important; background: #eee !important }
        @media (prefers-color-scheme: dark) {
            #pale { color: #fff !important; background: #000 !important }
            #dark { color: #222 !important; background: #111 !important }
        }
        @media (max-width: 800px) { #wide-pale, #wide-picture { display: none } }
        @media (min-width: 800px) { #bare span, #phone-button { display: none } }
    </style>
    <p id="pale">Pale in the light theme</p>
    <p id="dark">Pale in the dark theme</p>
    <p id="wide-pale">Pale, and only there on a wide screen</p>
    <img id="wide-picture" src="/favicon.ico" width="50" height="50">
    <button id="bare"><span>Without a name on a wide screen</span></button>
    <button id="phone-button"></button>
    <input id="unnamed">
"""


def test_faults_of_a_page_are_found(service, chromium, pictures):
    found = {}
    for language in ("en", "ko"):
        visitor = Visitor(service, chromium, "Mina", language, bypass_csp=True)
        visitor.page.goto("/sign-in")
        visitor.see(visitor.page.get_by_role("heading", level=1))
        visitor.settle()
        visitor.page.evaluate("faults => document.querySelector('main').insertAdjacentHTML('beforeend', faults)", FAULTS)
        lines = "\n".join(examine(visitor, f"faults-{language}", pictures))
        found[language] = set(re.findall(r'faults-.., (\w+, \w+): ([\w-]+) .*?id=\\"([\w-]+)', lines))
        visitor.leave()
    both = {
        ("phone, light", "label", "unnamed"), ("phone, light", "button-name", "phone-button"), ("wide, light", "button-name", "bare"),
        ("wide, light", "image-alt", "wide-picture"),
    }  # fmt: skip
    colours = {
        ("phone, light", "color-contrast", "pale"), ("phone, dark", "color-contrast", "dark"),
        ("wide, light", "color-contrast", "wide-pale"), ("wide, dark", "color-contrast", "wide-pale"),
    }  # fmt: skip
    assert found == {"en": both | colours, "ko": both}


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


def test_few_colours_depend_on_the_width(stranger):
    stranger.page.goto("/")
    coloured = stranger.page.evaluate(
        """() => {
            const inside = (rule) => [rule, ...[...(rule.cssRules ?? [])].flatMap(inside)];
            return [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).flatMap(inside)
                .filter(({ parentRule }) => parentRule instanceof CSSMediaRule && /width/.test(parentRule.conditionText))
                .filter(({ style }) => style && [...style].some((name) => /color|background|opacity|filter/.test(name)))
                .map(({ selectorText }) => selectorText);
        }"""
    )
    # The dot is no text. The others are in the navigation, whose colours are checked on both widths.
    others = {".board.short .who:has(.on) .nick::before", ".nav a:hover", ".nav a[aria-current]", ".nav a[aria-current]::before"}
    assert set(coloured) - others == set(OTHER_COLOURS.split(", "))


def test_no_style_depends_on_the_language(stranger):
    stranger.page.goto("/")
    styles = stranger.page.evaluate("[...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).map((rule) => rule.cssText)")
    assert len(styles) > 100
    assert [style for style in styles if ":lang" in style or "[lang" in style] == []


def test_both_languages_have_words_for_the_same_things(stranger):
    stranger.page.goto("/")
    shapes = stranger.page.evaluate(
        """async () => {
            const shape = (value) =>
                value instanceof Node ? "node"
                : Array.isArray(value) ? value.map(shape)
                : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
                : typeof value;
            const words = async (language) => {
                const parts = ["", "account/", "admin/", "alarm/", "entrance/", "events/", "fairness/"];
                const modules = await Promise.all(parts.map((part) => import(`/js/words/${part}${language}.js`)));
                return shape(Object.assign({}, ...modules));
            };
            return [await words("ko"), await words("en")];
        }"""
    )
    assert shapes[0] == shapes[1]
