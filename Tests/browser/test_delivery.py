"""How the pages arrive: in few requests and few bytes, none waiting for another that could have come with it, and nothing
moves once it is shown. Times are only printed."""

import pytest
from person import Person
from visitor import Visitor

# What Chromium's developer tools call Fast 3G, on a processor four times slower.
FAST_3G = {"offline": False, "latency": 562.5, "downloadThroughput": 180_000, "uploadThroughput": 84_375}

WATCH = """
    window.moved = 0;
    new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) window.moved += hadRecentInput ? 0 : value;
    }).observe({ type: "layout-shift", buffered: true });
    new MutationObserver((_, observer) => {
        if (!document.querySelector(window.awaited)?.textContent) return;
        window.shown = performance.now();
        observer.disconnect();
    }).observe(document, { subtree: true, childList: true, characterData: true });
"""


class Wire:
    """The requests of one look at a page: how many went out, their bytes, and the longest chain of them."""

    def __init__(self, page):
        self.cdp = page.context.new_cdp_session(page)
        self.cdp.send("Network.enable")
        for event in ("requestWillBeSent", "requestServedFromCache", "loadingFinished"):
            self.cdp.on(f"Network.{event}", getattr(self, f"_{event}"))
        self.clear()

    def clear(self):
        self.sent, self.size, self.depths = {}, {}, {}

    def _requestWillBeSent(self, event):
        url, initiator = event["request"]["url"], event["initiator"]
        # A stream is not waited for.
        if event["type"] == "EventSource":
            return
        self.sent[event["requestId"]] = url
        stack = initiator.get("stack", {})
        while stack.get("parent") and not stack.get("callFrames"):
            stack = stack["parent"]
        frames = [frame["url"] for frame in stack.get("callFrames", [])] or [initiator.get("url", "")]
        self.depths[url] = 1 + max([self.depths.get(frame, 0) for frame in frames] + [int(event["type"] != "Document")])

    def _requestServedFromCache(self, event):
        self.sent.pop(event["requestId"], None)

    def _loadingFinished(self, event):
        self.size[event["requestId"]] = event["encodedDataLength"]

    @property
    def requests(self):
        return sorted(self.sent.values())

    @property
    def bytes(self):
        return sum(self.size.get(request, 0) for request in self.sent)


@pytest.fixture(scope="module")
def studying(service):
    """A member of a group of six who studies, with a subject, sessions of today, and a group opened."""
    members = [Person(service, name).register(locale="ko") for name in ("Dodam", "Minji", "Haru", "Sol", "Bom", "Nari")]
    owner, *friends = members
    group = owner.found_group("The Dawn Library")
    code = owner.invite(group)["code"]
    for friend in friends:
        friend.join(code)
        friend.start()
    owner.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z")
    owner.start(goal_seconds=7200)
    yield {"email": owner.email, "home": ("/home", "[role=timer]"), "board": (f"/groups/{group['id']}", "table.board tbody")}
    for member in members:
        member.close()


@pytest.mark.parametrize("name", ["home", "board"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_arrives_at_once_and_stands_still(service, chromium, studying, name, width, record_property):
    path, awaited = studying[name]
    visitor = Visitor(service, chromium, "Dodam", "ko", viewport={"width": width, "height": 844})
    visitor.sign_in(studying["email"])
    page = visitor.page
    page.add_init_script(f"window.awaited = '{awaited}';{WATCH}")
    wire = Wire(page)
    rows = []

    def look(label):
        wire.clear()
        page.goto(path)
        visitor.see(page.locator(awaited))
        visitor.settle()
        deepest = max(wire.depths[url] for url in wire.requests)
        moved = page.evaluate("window.moved")
        rows.append(f"{name:<6}{width:>5}  {label:<22}{len(wire.requests):>9}{wire.bytes:>9}{deepest:>6}{moved:>8.3f}")
        return deepest, moved

    deepest, moved = look("cold")
    assert len(wire.requests) <= 12, wire.requests
    assert wire.bytes <= 100_000
    # The document, what it names, and what those draw.
    assert deepest <= 3, wire.depths
    assert moved < 0.01

    look("warm")
    assert not [url for url in wire.requests if "/assets/" in url]

    page.goto("about:blank")
    wire.cdp.send("Network.clearBrowserCache")
    wire.cdp.send("Network.emulateNetworkConditions", FAST_3G)
    wire.cdp.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    _, moved = look("cold, Fast 3G, CPU / 4")
    assert moved < 0.01
    # One trip for the document, one for all that it names, and the time that its bytes take.
    bare = 2 * FAST_3G["latency"] + wire.bytes / FAST_3G["downloadThroughput"] * 1000
    shown = page.evaluate("window.shown")
    rows.insert(0, f"page  width  {'look':<22}{'requests':>9}{'bytes':>9}{'depth':>6}{'moved':>8}")
    rows.append(f"shown after {shown:.0f} ms: {shown / bare:.2f} × the bare network")
    record_property("measured", rows)
    visitor.leave()
