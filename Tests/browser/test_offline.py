"""The app on a device: installed, opened without a connection, and what is done then arrives once, with an answer each."""

import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from person import Person
from playwright.sync_api import Error, expect
from service import PROGRAM, ROOT, START, running, wait_until
from test_pages import examine
from visitor import Visitor, take_picture

MINUTE = 60
WORDS = {
    "en": {
        "lost": "Offline. Last updated",
        "not_kept": "You are offline",
        "waiting": "Sent when you are online",
        "answered": "Done offline: 1 saved, 1 not saved.",
        "saved": "Saved",
        "refused": "Not saved",
        "seen": "OK",
        "edit": "Change and send again",
        "change": "Change",
        "drop": "Delete",
        "dropped": "Deleted.",
        "kept": "Done offline",
        "unsent": "2 entries wait on this device until you are online.",
        "needed": "Signing out needs a connection. Try again when you are online.",
        "leave": "Delete and sign out",
    },
    "ko": {
        "lost": "연결이 끊겼어요.",
        "not_kept": "오프라인이에요",
        "waiting": "연결되면 보낼게요",
        "answered": "오프라인에서 한 기록 1개를 저장했어요. 1개는 저장하지 못했어요.",
        "saved": "저장했어요",
        "refused": "저장하지 못했어요",
        "seen": "확인",
        "edit": "수정해서 다시 보내기",
        "change": "수정",
        "drop": "삭제",
        "dropped": "삭제했어요.",
        "kept": "오프라인에서 한 기록",
        "unsent": "아직 보내지 못한 기록이 이 기기에 2개 있어요.",
        "needed": "로그아웃하려면 연결이 필요해요. 연결된 뒤에 다시 해 주세요.",
        "leave": "삭제하고 로그아웃",
    },
}


@pytest.fixture
def visit(service, chromium, clock):
    """Makes people whose browsers keep pages; each has opened home, and it is kept."""
    clock.set(START)
    visitors = []

    def make(language, **options):
        visitors.append(Visitor(options.pop("at", service), chromium, "Mina", language, service_workers="allow", **options))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.leave()


def kept(visitor):
    """The paths of the pages that the browser keeps."""
    return visitor.page.evaluate(
        "caches.open('pages').then(cache => cache.keys()).then(keys => keys.map(({ url }) => new URL(url).pathname).sort())"
    )


def files(visitor):
    return visitor.page.evaluate("caches.open('files').then(cache => cache.keys()).then(keys => keys.map(({ url }) => url).sort())")


def keeps(visitor, *paths):
    wait_until(lambda: set(paths) <= set(kept(visitor)), what=f"{paths} to be kept")


def acts(visitor):
    """What the card of kept acts says: each with its state."""
    return visitor.page.locator(".acts-kept li p:first-child")


def log(visitor, start, end):
    """Adds a session of today by hand; the page's clock must show the service's day."""
    visitor.button("log").click()
    visitor.field("from").fill(start)
    visitor.field("to").fill(end)
    visitor.button("log_it").click()
    expect(visitor.page.get_by_role("dialog")).to_have_count(0)


def sessions(visitor):
    """The sessions that the service has, as (source, start, seconds), the oldest first."""
    answer = visitor.page.request.get("/api/v1/me/sessions?from=2026-11-20&to=2026-11-20")
    return [(each["source"], each["started_at"][11:19], each["seconds"]) for each in reversed(answer.json()["items"])]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_app_can_be_installed(visit, language):
    visitor = visit(language).open_account()
    page = visitor.page
    session = visitor.context.new_cdp_session(page)
    assert session.send("Page.getAppManifest")["errors"] == []
    link = page.locator("link[rel=manifest]").get_attribute("href")
    assert link == "/manifest.webmanifest"
    manifest = page.evaluate(f"fetch('{link}').then(answer => answer.json())")
    assert (manifest["lang"], manifest["start_url"], manifest["display"]) == (language, "/home", "standalone")
    assert manifest["name"] == {"ko": "공부 개미", "en": "Anthill"}[language]
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        size = page.evaluate(
            "async (src) => { const all = await createImageBitmap(await (await fetch(src)).blob()); return all.width; }", icon["src"]
        )
        assert icon["sizes"] == f"{size}x{size}"


def test_a_page_whose_files_are_not_to_be_had_is_not_kept(visit):
    visitor = visit("en").open_account()
    page = visitor.page
    keeps(visitor, "/home", "/offline")
    # As while an update is rolled out: the address answers what another build has there.
    worker = visitor.context.service_workers[0]
    worker.evaluate("""() => {
        const ask = self.fetch;
        const headers = { "Content-Type": "text/javascript" };
        const other = (answer) => answer.text().then((text) => new Response(text, { headers }));
        self.fetch = (request, more) => ask(request, more).then((answer) => answer.url.includes("/scripts/tasks") ? other(answer) : answer);
        self.heal = () => { self.fetch = ask; };
    }""")
    page.goto("/tasks")
    visitor.settle()
    page.goto("/calendar")
    keeps(visitor, "/calendar")
    assert "/tasks" not in kept(visitor)
    worker.evaluate("heal()")
    page.goto("/tasks")
    keeps(visitor, "/tasks")


def test_a_device_that_is_full_or_keeps_nothing_shows_what_the_service_has(visit):
    visitor = visit("en").open_account()
    page = visitor.page
    keeps(visitor, "/home", "/offline")
    worker = visitor.context.service_workers[0]
    worker.evaluate("""() => {
        Cache.prototype.put = async () => { throw new DOMException("full", "QuotaExceededError"); };
        return caches.delete("files");
    }""")
    page.goto("/tasks")
    visitor.see(page.get_by_role("heading", name="Tasks", level=1))
    visitor.settle()
    assert files(visitor) == []

    worker.evaluate("""() => {
        CacheStorage.prototype.open = async () => { throw new DOMException("forbidden", "SecurityError"); };
    }""")
    page.goto("/calendar")
    visitor.see(page.get_by_role("heading", name="Calendar", level=1))


class OtherBuild:
    """The program with other words and other styles, as an update brings them."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="other-build-", dir=ROOT / ".build"))
        self.program = self.folder / "anthill"
        os.link(PROGRAM.resolve(), self.program)
        for resources in PROGRAM.resolve().parent.glob("*.resources"):
            shutil.copytree(resources, self.folder / resources.name)
        for name in ("js/words/en.js", "js/words/ko.js"):
            [path] = self.folder.glob(f"*/Web/{name}")
            text = path.read_text()
            path.write_text(re.sub(r'^  brand: ".*"', '  brand: "Second build"', text, flags=re.M))
            assert path.read_text() != text

    def remove(self):
        shutil.rmtree(self.folder)


@pytest.fixture
def other_build():
    made = OtherBuild()
    yield made
    made.remove()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_home_opens_without_the_service_and_an_update_arrives(visit, other_build, language, pictures):
    words = WORDS[language]
    with running() as service:
        visitor = visit(language, at=service).open_account()
        page = visitor.page
        owner = Person(service, "Dodam").register()
        code = owner.invite(owner.found_group("Dawn"))["code"]
        owner.start()
        visitor.page.request.post(f"/api/v1/invitations/{code}/acceptances", data={}, headers={"Origin": service.origin})
        visitor.page.request.post("/api/v1/me/timer/start", data={}, headers={"Origin": service.origin})
        keeps(visitor, "/home", "/offline")
        group = owner.get("/groups").json()["items"][0]["id"]
        page.goto(f"/groups/{group}")
        visitor.see(page.locator("table.board tbody tr").first)
        page.goto("/home")
        visitor.see(visitor.button("pause"))
        visitor.settle()
        keeps(visitor, "/home", f"/groups/{group}")
        first = files(visitor)
        brand = page.locator(".brand span")
        before = brand.inner_text()

        assert service.stop() == 0
        page.goto("/home")
        visitor.see(visitor.button("pause"))
        expect(page.locator("#offline")).to_contain_text(words["lost"])
        expect(page.get_by_role("link", name="Dawn")).to_be_visible()
        expect(page.locator("table.board")).to_contain_text("Dodam")
        assert examine(visitor, f"offline-home-{language}", pictures) == []
        page.goto(f"/groups/{group}")
        visitor.see(page.locator("table.board tbody tr").first)
        expect(page.locator("#offline")).to_contain_text(words["lost"])
        page.goto("/calendar")
        visitor.see(page.get_by_role("heading", name=words["not_kept"]))
        assert examine(visitor, f"offline-not-kept-{language}", pictures) == []

        # The page that was open takes the service as soon as it is back; the next one is of the new build.
        service.program = other_build.program
        page.goto("/home")
        visitor.see(page.locator("#offline"))
        service.start()
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator("#offline")).to_be_hidden()
        assert brand.inner_text() == before
        page.goto("/home")
        expect(brand).to_have_text("Second build")
        visitor.settle()
        wait_until(lambda: brand_of(visitor) == "Second build" and not set(files(visitor)) & changed(first), what="the old files to go")
        assert service.stop() == 0
        page.goto("/home")
        expect(brand).to_have_text("Second build")
        expect(page.locator("#offline")).to_contain_text(words["lost"])
        service.start()
        owner.close()


def changed(addresses):
    """Those that differ in the other build: what has the words."""
    return {address for address in addresses if "/scripts/anthill-" in address}


def brand_of(visitor):
    return visitor.page.locator(".brand span").inner_text()


def still(visitor):
    """Stops the page's clock until the test moves it."""
    # It goes on until it is stopped, and cannot be stopped in the past.
    visitor.page.clock.install(time="2026-11-20T02:55:00Z")
    visitor.page.clock.pause_at(START)


def press(visitor, name, then):
    """Presses a button, and waits for the next; the page's clock is then just past the whole second."""
    visitor.button(name).click()
    visitor.see(visitor.button(then))
    visitor.page.clock.run_for(10)


def pass_by(visitor, minutes):
    """Lets time pass for the page alone: the service learns of it when the connection is back."""
    visitor.let_pass(minutes * MINUTE)


def come_back(visitor):
    """Is online again, with the page's clock still. A request that had begun offline would be sent again after a second,
    which never passes."""
    visitor.wait_for_answers()
    visitor.context.set_offline(False)


def at_home(visit, language="en", **options):
    """Somebody on home, which the browser keeps; the page's clock stands."""
    visitor = visit(language, **options)
    still(visitor)
    visitor.open_account()
    keeps(visitor, "/home", "/offline")
    return visitor


def test_the_timer_goes_on_without_a_connection_and_the_service_learns_its_true_times(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    timer = page.get_by_role("timer").locator(".clock")

    # Started, paused, resumed and finished here, with the page closed and opened again between.
    visitor.context.set_offline(True)
    press(visitor, "start", "pause")
    pass_by(visitor, 20)
    expect(timer).to_have_text("20:00")
    page.goto("/home")
    expect(timer).to_have_text("20:00")
    press(visitor, "pause", "resume")
    pass_by(visitor, 5)
    press(visitor, "resume", "pause")
    pass_by(visitor, 10)
    expect(timer).to_have_text("30:00")
    press(visitor, "stop", "start")
    expect(acts(visitor)).to_have_text(["12:00 – 12:20 Sent when you are online", "12:25 – 12:35 Sent when you are online"])
    clock.advance(36 * MINUTE)
    pass_by(visitor, 1)
    come_back(visitor)
    expect(acts(visitor)).to_have_text(["12:00 – 12:20 Saved", "12:25 – 12:35 Saved"])
    assert sessions(visitor) == [("manual", "03:00:00", 1200), ("manual", "03:25:00", 600)]
    page.get_by_role("button", name="OK").click()
    expect(acts(visitor)).to_have_count(0)

    # A timer of the service that was finished here.
    press(visitor, "start", "pause")
    visitor.wait_for_answers()
    visitor.context.set_offline(True)
    pass_by(visitor, 15)
    press(visitor, "stop", "start")
    pass_by(visitor, 5)
    # One that was started here and still runs becomes the service's.
    press(visitor, "start", "pause")
    pass_by(visitor, 10)
    clock.advance(30 * MINUTE)
    come_back(visitor)
    expect(acts(visitor)).to_have_text(["Timer finished at 12:51 Saved", "Timer running since 12:56 Saved"])
    expect(timer).to_have_text("10:00")
    assert sessions(visitor)[2:] == [("timer", "03:36:00", 900), ("timer", "03:56:00", 600)]
    running_now = page.request.get("/api/v1/me/timer").json()
    assert (running_now["state"], running_now["elapsed_seconds"]) == ("running", 600)


def test_a_task_is_studied_without_a_connection(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    visitor.ask("/me/tasks", {"title": "Chapter 3"})
    page.goto("/home")
    play = page.get_by_role("button", name="Study: Chapter 3")
    visitor.see(play)
    visitor.wait_for_answers()
    visitor.context.set_offline(True)
    # It is said at once.
    expect(page.locator("#offline")).to_contain_text(WORDS["en"]["lost"])
    play.click()
    visitor.see(visitor.button("pause"))
    page.clock.run_for(10)
    pass_by(visitor, 10)
    # One that this device runs stays on.
    visitor.see(play).click()
    dialog = page.get_by_role("dialog", name="A timer is already on")
    expect(dialog).to_contain_text("10 min so far.")
    visitor.button("close").click()
    clock.advance(10 * MINUTE)
    come_back(visitor)
    expect(acts(visitor)).to_have_text(["Timer running since 12:00 Saved"])
    timer = page.request.get("/api/v1/me/timer").json()
    assert (timer["state"], timer["elapsed_seconds"], timer["task_id"] is None) == ("running", 600, False)


def test_a_timer_that_was_paused_without_a_connection_goes_on_as_the_same_session(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    timer = page.get_by_role("timer").locator(".clock")
    press(visitor, "start", "pause")
    visitor.wait_for_answers()
    tab = visitor.context.new_page()
    tab.goto("/home")
    expect(tab.get_by_role("timer")).to_be_visible()

    # Another tab sees at once what was pressed in this one.
    visitor.context.set_offline(True)
    pass_by(visitor, 15)
    press(visitor, "pause", "resume")
    expect(tab.get_by_role("button", name=visitor.words["resume"], exact=True)).to_be_visible()
    tab.close()
    expect(acts(visitor)).to_have_text(["Timer paused at 12:15 Sent when you are online"])
    pass_by(visitor, 5)
    clock.advance(20 * MINUTE)
    come_back(visitor)
    expect(acts(visitor)).to_have_text(["Timer paused at 12:15 Saved"])
    expect(timer).to_have_text("15:00")
    visitor.see(visitor.button("resume"))
    paused = page.request.get("/api/v1/me/timer").json()
    assert (paused["state"], paused["elapsed_seconds"]) == ("paused", 900)

    # Resumed, paused and resumed again without a connection: what the service ran is still one session.
    visitor.context.set_offline(True)
    press(visitor, "resume", "pause")
    pass_by(visitor, 5)
    clock.advance(5 * MINUTE)
    come_back(visitor)
    expect(acts(visitor)).to_have_text(["Timer paused at 12:15 Saved", "Timer running since 12:20 Saved"])
    running_now = page.request.get("/api/v1/me/timer").json()
    assert running_now["session"]["id"] == paused["session"]["id"]
    assert (running_now["state"], running_now["elapsed_seconds"]) == ("running", 1200)

    # On the next day they name their own.
    clock.advance(12 * 60 * MINUTE)
    pass_by(visitor, 12 * 60)
    page.goto("/home")
    day = "20 November at"
    expect(acts(visitor)).to_have_text([f"Timer paused on {day} 12:15 Saved", f"Timer running since {day} 12:20 Saved"])


def test_a_timer_that_was_forgotten_without_a_connection_ends(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    visitor.context.set_offline(True)
    press(visitor, "start", "pause")
    clock.advance(13 * 60 * MINUTE)
    pass_by(visitor, 13 * 60)
    started = []
    page.on("request", lambda request: "/me/timer/" in request.url and started.append(request.url))
    come_back(visitor)
    forgotten = page.locator(".acts-kept li")
    expect(forgotten).to_contain_text(re.compile("12:00 – 0[01]:[05][09] Not saved.* at most 12 hours"))
    visitor.see(visitor.button("start"))
    assert started == []
    assert page.request.get("/api/v1/me/timer").json()["state"] == "idle"

    forgotten.get_by_role("button", name=re.compile("^Change and send again")).click()
    visitor.field("to").fill("15:00")
    visitor.button("log_it").click()
    expect(forgotten).to_have_count(0)
    assert sessions(visitor) == [("manual", "03:00:00", 10800)]


def test_a_start_whose_answer_was_lost_is_counted_once_and_ends(visit, clock):
    visitor = at_home(visit)
    page = visitor.page

    def lose(route):
        route.fetch()
        visitor.context.set_offline(True)
        route.abort()

    visitor.context.route("**/api/v1/me/timer/start", lose)
    press(visitor, "start", "pause")
    assert page.request.get("/api/v1/me/timer").json()["state"] == "running"
    pass_by(visitor, 20)
    press(visitor, "stop", "start")
    expect(acts(visitor)).to_have_text(["12:00 – 12:20 Sent when you are online"])
    clock.advance(30 * MINUTE)
    pass_by(visitor, 10)
    come_back(visitor)
    expect(acts(visitor)).to_have_text(["12:00 – 12:20 Saved"])
    assert sessions(visitor) == [("timer", "03:00:00", 1200)]
    assert page.request.get("/api/v1/me/timer").json()["state"] == "idle"


def test_a_stop_that_arrived_is_done_though_nothing_more_can_be_asked(visit, clock):
    visitor = at_home(visit)
    press(visitor, "start", "pause")
    visitor.wait_for_answers()
    clock.advance(20 * MINUTE)
    pass_by(visitor, 20)

    def answer_last(route):
        answer = route.fetch()
        visitor.context.set_offline(True)
        route.fulfill(response=answer)

    visitor.context.route("**/api/v1/me/timer/stop", answer_last)
    press(visitor, "stop", "start")
    expect(visitor.page.locator(".message")).to_contain_text("20 min")
    expect(acts(visitor)).to_have_count(0)
    come_back(visitor)
    visitor.see(visitor.button("start"))
    assert sessions(visitor) == [("timer", "03:00:00", 1200)]


def test_a_stop_without_a_connection_can_be_undone_until_it_is_sent(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    timer = page.get_by_role("timer").locator(".clock")
    undo = page.get_by_role("button", name=re.compile("^Undo: "))

    # A timer of the service.
    press(visitor, "start", "pause")
    visitor.wait_for_answers()
    tab = visitor.context.new_page()
    tab.goto("/home")
    runs = tab.get_by_role("button", name=visitor.words["pause"], exact=True)
    expect(runs).to_be_visible()
    visitor.context.set_offline(True)
    pass_by(visitor, 15)
    press(visitor, "stop", "start")
    expect(acts(visitor)).to_have_text(["Timer finished at 12:15 Sent when you are online"])
    expect(runs).to_have_count(0)
    pass_by(visitor, 5)
    undo.click()
    visitor.see(visitor.button("pause"))
    expect(runs).to_be_visible()
    tab.close()
    expect(timer).to_have_text("20:00")
    expect(acts(visitor)).to_have_count(0)

    # The same timer, paused and resumed on this device: its stop there and its last stretch here are one stop.
    press(visitor, "pause", "resume")
    pass_by(visitor, 5)
    press(visitor, "resume", "pause")
    pass_by(visitor, 10)
    press(visitor, "stop", "start")
    expect(acts(visitor)).to_have_text(
        [f"{each} Sent when you are online" for each in ("Timer paused at 12:20", "12:25 – 12:35", "Timer finished at 12:35")]
    )
    # It cannot be undone while another one runs.
    press(visitor, "start", "pause")
    expect(undo).to_have_count(0)
    page.get_by_role("button", name="Change the start time or cancel").click()
    page.get_by_role("button", name="Cancel this session").click()
    page.get_by_role("button", name="Discard").click()
    visitor.see(visitor.button("start"))
    undo.click()
    visitor.see(visitor.button("pause"))
    expect(timer).to_have_text("30:00")
    expect(acts(visitor)).to_have_text(["Timer paused at 12:20 Sent when you are online"])
    pass_by(visitor, 5)
    press(visitor, "stop", "start")
    clock.advance(40 * MINUTE)
    come_back(visitor)
    expect(acts(visitor)).to_have_text([f"{each} Saved" for each in ("Timer paused at 12:20", "12:25 – 12:40", "Timer finished at 12:40")])
    expect(undo).to_have_count(0)
    assert sessions(visitor) == [("timer", "03:00:00", 1200), ("manual", "03:25:00", 900)]


def hang(visitor, address):
    """Lets requests to this address hang. What this returns lets them, and all later ones, go on."""
    held = []
    visitor.context.route(address, lambda route: route.continue_() if held is None else held.append(route))

    def let_go():
        nonlocal held
        waiting, held = held, None
        for route in waiting:
            route.continue_()

    return let_go


def press_in_vain(visitor, name, then):
    """Presses a button while the connection hangs: that is said at once, and soon done on this device."""
    message = visitor.page.locator(".message")
    visitor.button(name).click()
    visitor.page.clock.run_for(1000)
    expect(message).to_contain_text("Sending")
    visitor.page.clock.run_for(4000)
    visitor.see(visitor.button(then))
    expect(message).to_be_empty()


def test_a_press_is_taken_while_what_was_kept_hangs(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    visitor.context.set_offline(True)
    log(visitor, "09:00", "10:00")
    let_go = hang(visitor, "**/api/v1/me/sessions/batch")
    with page.expect_request("**/api/v1/me/sessions/batch"):
        come_back(visitor)
    press_in_vain(visitor, "start", "pause")
    pass_by(visitor, 10)
    clock.advance(11 * MINUTE)
    let_go()
    expect(acts(visitor)).to_have_text(["09:00 – 10:00 Saved", "Timer running since 12:00 Saved"])
    assert page.request.get("/api/v1/me/timer").json()["state"] == "running"
    assert sessions(visitor)[1][:2] == ("timer", "03:00:00")


def test_a_timer_that_is_stopped_while_its_start_hangs_ends_then(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    visitor.context.set_offline(True)
    press(visitor, "start", "pause")
    pass_by(visitor, 20)
    let_go = hang(visitor, "**/api/v1/me/timer/start")
    clock.advance(20 * MINUTE)
    with page.expect_request("**/api/v1/me/timer/start"):
        come_back(visitor)
    press_in_vain(visitor, "stop", "start")
    expect(acts(visitor)).to_have_text(["12:00 – 12:20 Sent when you are online"])
    let_go()
    expect(acts(visitor)).to_have_text(["12:00 – 12:20 Saved"])
    assert sessions(visitor) == [("timer", "03:00:00", 1200)]
    assert page.request.get("/api/v1/me/timer").json()["state"] == "idle"


def test_a_press_while_the_last_one_hangs_is_done_after_it(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    press(visitor, "start", "pause")
    visitor.wait_for_answers()
    clock.advance(20 * MINUTE)
    pass_by(visitor, 20)
    hang(visitor, "**/api/v1/me/timer/*")
    visitor.button("pause").click()
    visitor.button("stop").click()
    # A request that is not answered in five seconds is tried once more; when each begins depends on this machine.
    for name in ("resume", "start"):
        for _ in range(60):
            if not visitor.button(name).is_visible():
                page.clock.run_for(1000)
        visitor.see(visitor.button(name))
    visitor.context.unroute_all(behavior="ignoreErrors")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(acts(visitor)).to_have_text(["Timer paused at 12:20 Saved", "Timer finished at 12:20 Saved"])
    assert sessions(visitor) == [("timer", "03:00:00", 1200)]
    assert page.request.get("/api/v1/me/timer").json()["state"] == "idle"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_stop_without_a_connection_is_told_in_one_place(visit, language, pictures):
    visitor = at_home(visit, language, viewport={"width": 390, "height": 844})
    page = visitor.page
    press(visitor, "start", "pause")
    visitor.wait_for_answers()
    visitor.context.set_offline(True)
    for name, then in [("pause", "resume"), ("resume", "pause")] * 2:
        pass_by(visitor, 5)
        press(visitor, name, then)
    pass_by(visitor, 5)
    press(visitor, "stop", "start")
    last = acts(visitor).last
    expect(last).to_contain_text(WORDS[language]["waiting"])
    expect(last).to_be_in_viewport(ratio=1)
    expect(page.locator(".toast")).to_have_count(0)
    # Who does not see it hears it.
    expect(page.locator("body > [role=status]")).to_contain_text({"en": "Finished.", "ko": "끝냈어요."}[language])
    take_picture(page, pictures / f"offline-stopped-{language}.png")


EMPTY = "Object.keys(localStorage).filter((key) => key.startsWith('filling')).forEach((key) => localStorage.removeItem(key));"
# Fills the storage; then leaves room for so many characters and no more. One long item would be written again for each size.
FILL = f"""() => {{
    {EMPTY}
    localStorage.setItem("rest", "x".repeat(1000));
    for (let size = 1 << 22; size > 0; size >>= 1) {{
        try {{
            localStorage.setItem(`filling-${{size}}`, "x".repeat(size));
        }} catch {{}}
    }}
}}"""
LEAVE_ROOM = "room => localStorage.setItem('rest', 'x'.repeat(1000 - room))"
NOT_RECORDED = "Not recorded: the server cannot be reached, and this browser has no room to keep anything"


def test_a_full_browser_says_that_it_kept_nothing_and_what_it_kept_before_stays(visit, clock):
    visitor = at_home(visit)
    page = visitor.page
    told = page.locator(".message").get_by_role("alert")
    visitor.context.set_offline(True)
    page.evaluate(FILL)
    visitor.button("start").click()
    expect(told).to_contain_text(NOT_RECORDED)
    visitor.see(visitor.button("start"))

    page.evaluate(EMPTY)
    press(visitor, "start", "pause")
    expect(told).to_have_count(0)
    log(visitor, "09:00", "10:00")
    waits = ["09:00 – 10:00 Sent when you are online"]
    expect(acts(visitor)).to_have_text(waits)
    pass_by(visitor, 20)
    page.evaluate(FILL)
    # However little room there is: a press is kept whole or not at all. A paused timer takes 17 characters more than a running
    # one, so at one of these steps there is room for the stretch that it ran, but not for the timer.
    refused = 0
    for room in range(0, 800, 15):
        page.evaluate(LEAVE_ROOM, room)
        visitor.button("pause").click()
        expect(told.or_(visitor.button("resume"))).to_be_visible()
        if visitor.button("resume").is_visible():
            break
        refused += 1
        expect(told).to_contain_text(NOT_RECORDED)
        expect(acts(visitor)).to_have_text(waits)
    assert refused > 14
    waits += ["12:00 – 12:20 Sent when you are online"]
    expect(acts(visitor)).to_have_text(waits)
    page.evaluate(FILL)
    visitor.button("log").click()
    visitor.field("from").fill("10:30")
    visitor.field("to").fill("11:00")
    visitor.button("log_it").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_contain_text(NOT_RECORDED)
    visitor.button("close").dblclick()
    expect(acts(visitor)).to_have_text(waits)

    # What waits is sent once. There is no room for an answer either: what was saved goes, and makes room for the next.
    clock.advance(30 * MINUTE)
    pass_by(visitor, 10)
    come_back(visitor)
    expect(acts(visitor)).to_have_text(["12:00 – 12:20 Saved"])
    assert sessions(visitor) == [("manual", "00:00:00", 3600), ("manual", "03:00:00", 1200)]


def test_a_browser_that_forbids_storage_says_that_it_kept_nothing(visit):
    visitor = visit("en")
    page = visitor.page
    page.clock.set_fixed_time(START)
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } })")
    visitor.open_account()
    visitor.settle()
    visitor.context.set_offline(True)
    visitor.button("start").click()
    expect(page.locator(".message").get_by_role("alert")).to_contain_text(NOT_RECORDED)
    visitor.see(visitor.button("start"))
    expect(page.locator(".acts-kept")).to_have_count(0)


def test_what_the_service_fails_at_waits_and_is_in_nobodys_way(visit, clock):
    visitor = at_home(visit)
    press(visitor, "start", "pause")
    visitor.wait_for_answers()
    visitor.context.set_offline(True)
    pass_by(visitor, 30)
    press(visitor, "stop", "start")
    log(visitor, "09:00", "10:00")
    clock.advance(30 * MINUTE)
    visitor.context.route("**/end", lambda route: route.fulfill(status=500))
    come_back(visitor)
    expect(acts(visitor)).to_have_text(["09:00 – 10:00 Saved", "Timer finished at 12:30 Sent when you are online"])
    visitor.context.unroute("**/end")
    visitor.wait_for_answers()
    pass_by(visitor, 1)
    expect(acts(visitor)).to_have_text(["09:00 – 10:00 Saved", "Timer finished at 12:30 Saved"])


def test_what_waits_survives_that_somebody_else_signs_in(visit):
    visitor = visit("en")
    page = visitor.page
    page.clock.set_fixed_time(START)
    visitor.open_account()
    keeps(visitor, "/home")
    visitor.context.set_offline(True)
    page.goto("/home")
    log(visitor, "09:00", "10:00")
    # The sign-in ended meanwhile, and a brother or sister signs in.
    visitor.context.clear_cookies(name="anthill")
    other = visit("en")
    other.have_account()
    # An open page would lead to the sign-in as soon as it is online, beside the way home.
    page.goto("about:blank")
    visitor.context.set_offline(False)
    visitor.sign_in(other.email)
    visitor.go_home()
    visitor.settle()
    expect(acts(visitor)).to_have_count(0)
    assert sessions(visitor) == []
    visitor.context.clear_cookies(name="anthill")
    visitor.sign_in(visitor.email)
    visitor.go_home()
    expect(acts(visitor)).to_have_text(["09:00 – 10:00 Saved"])
    assert sessions(visitor) == [("manual", "00:00:00", 3600)]


def test_a_timer_that_somebody_else_left_here_is_forgotten_after_two_days(visit, clock):
    visitor = visit("en")
    page = visitor.page
    page.clock.set_fixed_time(START)
    visitor.open_account()
    visitor.settle()
    visitor.context.set_offline(True)
    visitor.button("start").click()
    visitor.see(visitor.button("pause"))
    visitor.context.clear_cookies(name="anthill")
    other = visit("en")
    other.have_account()
    page.goto("about:blank")
    visitor.context.set_offline(False)
    visitor.sign_in(other.email)
    for now, left in [("2026-11-22T02:00:00Z", 1), ("2026-11-22T04:00:00Z", 0)]:
        clock.set(now)
        page.clock.set_fixed_time(now)
        visitor.go_home()
        visitor.settle()
        assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('timer-here')).length") == left


def test_an_edit_reaches_a_service_that_had_the_first_version_after_all(visit):
    visitor = visit("en")
    page = visitor.page
    page.clock.set_fixed_time(START)
    visitor.open_account()
    visitor.settle()

    def log_and_lose(start, end, offline_then):
        """Adds a session whose first version arrives, but not the answer."""

        def lose(route):
            route.fetch()
            visitor.context.set_offline(offline_then)
            route.abort()

        before = len(sessions(visitor))
        visitor.context.set_offline(True)
        log(visitor, start, end)
        visitor.context.route("**/api/v1/me/sessions/batch", lose)
        visitor.context.set_offline(False)
        wait_until(lambda: len(sessions(visitor)) > before, what="the first version to arrive")

    def change(to):
        page.get_by_role("button", name=re.compile("^Change: ")).click()
        visitor.field("to").fill(to)
        visitor.button("log_it").click()
        expect(page.get_by_role("dialog")).to_have_count(0)

    # Changed when the service is there again.
    log_and_lose("09:00", "10:00", offline_then=False)
    change("10:30")
    expect(acts(visitor)).to_have_count(0)
    assert sessions(visitor) == [("manual", "00:00:00", 5400)]
    # The page tries twice more what was lost, which would end being offline below.
    page.evaluate("navigator.locks.request('anthill.sending', () => {})")
    # Changed without a connection, and sent later.
    log_and_lose("11:00", "11:30", offline_then=True)
    change("11:45")
    visitor.context.unroute("**/api/v1/me/sessions/batch")
    visitor.context.set_offline(False)
    expect(acts(visitor)).to_have_text(["11:00 – 11:45 Saved"])
    # The strip on other pages closes there, too.
    page.goto("/calendar")
    strip = page.get_by_role("status").filter(has_text="Done offline: 1 saved.")
    strip.get_by_role("button", name="OK", exact=True).click()
    expect(strip).to_have_count(0)
    visitor.go_home()
    expect(acts(visitor)).to_have_count(0)
    assert sessions(visitor) == [("manual", "00:00:00", 5400), ("manual", "02:00:00", 2700)]


def test_an_edit_is_sent_though_the_first_version_is_answered_after_it(visit):
    visitor = visit("en")
    page = visitor.page
    page.clock.set_fixed_time(START)
    visitor.open_account()
    visitor.settle()
    visitor.context.set_offline(True)
    log(visitor, "09:00", "10:00")
    let_go = hang(visitor, "**/api/v1/me/sessions/batch")
    with page.expect_request("**/api/v1/me/sessions/batch"):
        visitor.context.set_offline(False)
    visitor.context.route("**/api/v1/me/sessions", lambda route: route.abort())
    page.get_by_role("button", name="Change: 09:00 – 10:00").click()
    visitor.field("to").fill("10:30")
    visitor.button("log_it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    visitor.context.unroute("**/api/v1/me/sessions")
    let_go()
    # The answer to the first version is read once the next may be sent.
    page.evaluate("navigator.locks.request('anthill.sending', () => {})")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(acts(visitor)).to_have_text(["09:00 – 10:30 Saved"])
    assert sessions(visitor) == [("manual", "00:00:00", 5400)]


def test_who_registers_in_somebody_elses_browser_sees_none_of_their_pages(visit):
    visitor = visit("en").open_account()
    keeps(visitor, "/home", "/offline")
    visitor.email = f"other.{visitor.email}"
    visitor.ask("/registrations", {"email": visitor.email})
    visitor.open_link_from_mail()
    visitor.see(visitor.field("nickname"))
    visitor.settle()
    # What is kept when the service worker asks for the next page: it would be shown if that takes long.
    worker = visitor.context.service_workers[0]
    worker.evaluate("""() => {
        const ask = self.fetch;
        self.fetch = async (...request) => {
            self.keptThen ??= (await (await caches.open("pages")).keys()).length;
            return ask(...request);
        };
    }""")
    visitor.choose_name_and_password()
    visitor.see(visitor.page.get_by_role("timer"))
    assert worker.evaluate("self.keptThen") == 0


@pytest.mark.parametrize("language", ["ko", "en"])
def test_sessions_added_without_a_connection_are_sent_once_and_each_is_answered(visit, language, clock, pictures):
    words = WORDS[language]
    visitor = visit(language)
    page = visitor.page
    page.clock.set_fixed_time(START)
    visitor.open_account()
    keeps(visitor, "/home", "/offline")
    visitor.context.set_offline(True)
    page.goto("/home")
    log(visitor, "09:00", "10:00")
    log(visitor, "10:30", "11:30")
    log(visitor, "08:00", "08:30")
    # What waits can be changed and deleted.
    page.get_by_role("button", name=f"{words['drop']}: 08:00 – 08:30").click()
    expect(page.locator(".acts-kept > li")).to_have_count(3)
    page.get_by_role("button", name=words["drop"], exact=True).click()
    expect(acts(visitor)).to_have_count(2)
    expect(page.get_by_role("status").filter(has_text=words["dropped"])).to_have_count(1)
    expect(page.get_by_role("heading", name=words["kept"])).to_be_focused()
    page.get_by_role("button", name=f"{words['change']}: 10:30 – 11:30").click()
    visitor.field("to").fill("11:00")
    visitor.button("log_it").click()
    expect(acts(visitor)).to_have_text([f"09:00 – 10:00 {words['waiting']}", f"10:30 – 11:00 {words['waiting']}"])
    assert examine(visitor, f"offline-waiting-{language}", pictures) == []
    page.goto("/tasks")
    visitor.see(page.get_by_role("heading", name=words["not_kept"]))
    expect(page.get_by_role("status").filter(has_text=words["unsent"])).to_be_visible()
    page.goto("/home")

    # Another device, and another tab; and the first answer of the service is lost on its way.
    other = visit(language)
    other.sign_in(visitor.email)
    other.go_home()
    other.ask("/me/sessions", {"started_at": "2026-11-20T01:45:00Z", "ended_at": "2026-11-20T02:15:00Z"})
    tab = visitor.context.new_page()
    tab.goto("/home")
    expect(tab.locator(".acts-kept li")).to_have_count(2)
    sent = []

    def lose(route):
        sent.append(route.request.post_data)
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    visitor.context.route("**/api/v1/me/sessions/batch", lose)
    visitor.context.set_offline(False)
    for each in (page, tab):
        expect(each.locator(".acts-kept li p:first-child")).to_have_text(
            [f"09:00 – 10:00 {words['saved']}", f"10:30 – 11:00 {words['refused']}"]
        )
        expect(each.get_by_role("status").filter(has_text=words["answered"])).to_have_count(1)
    assert len(sent) == 2 and sent[0] == sent[1]
    refused = page.locator(".acts-kept li").last
    expect(refused).to_contain_text("10:45 – 11:15")
    assert sessions(visitor) == [("manual", "00:00:00", 3600), ("manual", "01:45:00", 1800)]
    visitor.settle()
    assert examine(visitor, f"offline-answered-{language}", pictures) == []
    tab.goto("/calendar")
    told = tab.get_by_role("status").filter(has_text=words["answered"])
    expect(told).to_be_visible()
    strip, title = told.bounding_box(), tab.get_by_role("heading", level=1).bounding_box()
    assert strip["y"] + strip["height"] + 8 <= title["y"]

    refused.get_by_role("button", name=re.compile(f"^{words['edit']}")).click()
    visitor.field("to").fill("10:45")
    visitor.button("log_it").click()
    expect(acts(visitor)).to_have_text([f"09:00 – 10:00 {words['saved']}"])
    page.get_by_role("button", name=words["seen"], exact=True).click()
    expect(acts(visitor)).to_have_count(0)
    expect(page.get_by_role("main")).to_be_focused()
    expect(told).to_have_count(0)
    assert sessions(visitor) == [("manual", "00:00:00", 3600), ("manual", "01:30:00", 900), ("manual", "01:45:00", 1800)]


def test_signing_out_does_not_wait_for_a_service_that_hangs(visit):
    visitor = at_home(visit)
    page = visitor.page
    visitor.context.set_offline(True)
    log(visitor, "09:00", "10:00")
    hang(visitor, "**/api/v1/me/sessions/batch")
    with page.expect_request("**/api/v1/me/sessions/batch"):
        come_back(visitor)
    page.goto("/settings")
    sign_out = visitor.see(page.get_by_role("button", name=visitor.words["sign_out"], exact=True).last)
    sign_out.click()
    page.clock.run_for(1000)
    expect(page.locator(".toast")).to_contain_text("Sending")
    page.clock.run_for(4000)
    expect(page.get_by_role("dialog")).to_contain_text("One entry is only on this device")
    visitor.context.unroute_all(behavior="ignoreErrors")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_signing_out_leaves_nothing_on_the_device(visit, language, pictures):
    words = WORDS[language]
    visitor = visit(language)
    page = visitor.page
    page.clock.set_fixed_time(START)
    visitor.open_account()
    # A page that is left before the service worker is there is not kept.
    keeps(visitor, "/home")
    page.goto("/settings")
    keeps(visitor, "/settings")
    page.goto("/home")
    visitor.context.set_offline(True)
    log(visitor, "22:00", "23:00")
    # The service refuses what has not happened yet, so only this device has it.
    visitor.context.set_offline(False)
    expect(acts(visitor)).to_have_text([f"22:00 – 23:00 {words['refused']}"])
    page.goto("/settings")
    sign_out = page.get_by_role("button", name=visitor.words["sign_out"], exact=True).last
    visitor.see(sign_out)
    visitor.settle()
    visitor.context.set_offline(True)
    sign_out.click()
    ask = visitor.see(page.get_by_role("dialog"))
    ask.get_by_role("button", name=words["leave"]).click()
    expect(ask.get_by_text(words["needed"])).to_be_visible()
    visitor.context.set_offline(False)
    ask.get_by_role("button", name=visitor.words["close"]).click()
    sign_out.click()
    ask = visitor.see(page.get_by_role("dialog"))
    assert examine(visitor, f"sheet-offline-sign-out-{language}", pictures) == []
    ask.get_by_role("button", name=words["leave"]).click()
    visitor.see(page.get_by_role("link", name=visitor.words["start_with_email"]).first)
    assert kept(visitor) == []
    assert page.evaluate("Object.keys(localStorage).filter((key) => /act|timer|uid/.test(key))") == []
    visitor.context.set_offline(True)
    with pytest.raises(Error, match="ERR_"):
        page.goto("/home")
