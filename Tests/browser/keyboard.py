"""The keyboard alone: what a page offers is reached with Tab, and used with what people type."""

import re

from playwright.sync_api import expect

# Hours and minutes are stops of their own.
PARTED = re.compile('type="(time|date|month)"')
# All that can be used, in the order of the document. Of radio buttons with one name Tab reaches one.
STOPS = """() => {
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
        .filter((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }));
    const isStop = (each) => each.type !== "radio" || each.checked
        || !all.some(({ type, name, checked }) => type === "radio" && name === each.name && checked);
    globalThis.stops = all.filter(isStop);
    return stops.map((each) => each.outerHTML.slice(0, 120));
}"""
# Which of them has the focus, and whether that is seen: an outline, and nothing that lies over it.
STOP = """() => {
    const at = document.activeElement;
    const outlined = [at, at.closest("label")].some((each) => each && getComputedStyle(each).outlineStyle !== "none");
    const isOnTop = ({ x, y, width, height }) => {
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        return hit?.contains(at) || at.contains(hit) || hit?.closest("label")?.contains(at);
    };
    return [stops.indexOf(at), outlined && [...at.getClientRects()].some(isOnTop)];
}"""


def complaints(page):
    """What is wrong for somebody who goes through the page with Tab: all is reached once, in its order, and seen."""
    page.evaluate("document.activeElement.blur()")
    stops = page.evaluate(STOPS)
    found = []
    for number, stop in enumerate(stops):
        page.keyboard.press("Tab")
        reached, is_seen = page.evaluate(STOP)
        while reached == number - 1 and PARTED.search(stops[reached]):
            page.keyboard.press("Tab")
            reached, is_seen = page.evaluate(STOP)
        if reached != number:
            return [*found, f"Tab comes to {stops[reached] if reached >= 0 else 'something else'} instead of {stop}"]
        if not is_seen:
            found.append(f"the focus is not seen on {stop}")
    page.keyboard.press("Tab")
    [after, _] = page.evaluate(STOP)
    return [*found, *(["Tab does not leave the page"] if after > 0 else [])]


def go_to(locator):
    """Presses Tab until it has the focus."""
    expect(locator).to_be_visible()
    for _ in range(120):
        if locator.evaluate("it => it === document.activeElement"):
            return locator
        locator.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {locator}")


def press(locator, key="Enter"):
    go_to(locator).page.keyboard.press(key)


def write(locator, text):
    go_to(locator).page.keyboard.type(text)
