"""A group and its members: settings, announced rules, roles, bans, invitations and visibility."""

import re

import pytest
from person import Person
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor, take_picture

NOW = "2026-11-21T03:00:00Z"
KO = {
    "settings": "모임 설정", "save": "저장", "rules": "규칙 바꾸기", "declare": "12월부터 적용하기",
    "coming": "12월부터 규칙이 바뀌어요", "hours": "하루 최대 10시간까지", "by_hand": "직접 입력한 시간은 인정되지 않아요", "cap": "하루에 인정되는 최대 시간",
    "manual": "직접 입력한 시간 인정", "name": "이름", "emoji": "이모지 (선택)", "plum": "자두", "goal": "한 달에 함께 채울 시간 (선택)",
    "reached": "이달 함께 3시간 · 목표 12시간의 25%", "members": "함께하는 사람", "manage": "{} 님 관리", "promote": "관리자로 지정", "demote": "멤버로 변경",
    "admin": "관리자", "ban": "차단하기", "lift": "{} 님 차단 해제", "lift_sure": "차단 해제", "banned": "차단한 사람", "hand_on": "모임장 넘기기",
    "hidden": "숨기기", "hiding": "순위표의 내 자리에 ‘비공개 멤버’로 나오고", "invite": "초대하기", "uses": "최대 인원 (선택)", "make": "초대 링크 만들기",
    "left": "앞으로 3명이 쓸 수 있어요", "qr": "초대 링크의 QR 코드", "revoke": "취소하기", "place": "서울 시각 05:00", "leave": "나가기", "gone": "모임에서 나왔어요.", "only_owner": "모임장이 나뿐이라", "keep": "그대로 두기", "none": "지금 쓸 수 있는 초대가 없어요.", "badge": "배지 공개", "show": "배지 붙이기",
}  # fmt: skip
EN = {
    "settings": "Group settings", "save": "Save", "rules": "Change the rules", "declare": "Announce for December",
    "coming": "New rules from December", "hours": "up to 10 h a day", "by_hand": "time added by hand does not count",
    "cap": "Hours that count per day, at most", "manual": "Count time added by hand", "name": "Name", "emoji": "Emoji (optional)",
    "plum": "Plum", "goal": "Hours to study together each month (optional)", "reached": "Together this month 3 h · 25% of 12 h",
    "members": "Members", "manage": "Manage {}", "promote": "Make admin", "demote": "Make member", "admin": "Admin", "ban": "Ban", "lift": "Unban {}",
    "lift_sure": "Unban", "banned": "Banned", "hand_on": "Transfer ownership", "hidden": "Hidden",
    "hiding": "The board shows “Someone” in your place", "invite": "Invite",
    "uses": "Limit (optional)", "make": "Create a link", "left": "for 3 more people", "qr": "QR code of the link",
    "revoke": "Withdraw", "place": "05:00 Seoul", "leave": "Leave", "gone": "You left the group.", "only_owner": "You are the only owner", "keep": "Go back", "none": "No open invitations.", "badge": "Public badge", "show": "Use the badge",
}  # fmt: skip


@pytest.fixture
def named(service):
    """Makes people with that nickname who use the API."""
    made = []

    def make(nickname, locale="en"):
        made.append(Person(service, "Ant"))
        return made[-1].register(nickname=nickname, locale=locale)

    yield make
    for person in made:
        person.close()


@pytest.fixture(params=["ko", "en"])
def room(request, service, clock, named, chromium):
    """A group of three with its owner at the page, and the words they read."""
    words = {"ko": KO, "en": EN}[request.param]
    clock.set(NOW)
    owner, haneul, minseo = (named(nickname, request.param) for nickname in ("도담", "하늘", "민서"))
    group = owner.found_group("새벽 다섯시 스터디", description="다섯 시에 만나요.\n늦어도 괜찮아요.")
    code = owner.invite(group)["code"]
    for person in (haneul, minseo):
        person.join(code)
    owner.log("2026-11-20T20:00:00Z", "2026-11-20T23:00:00Z")
    visitor = enter(Visitor(service, chromium, "도담", request.param), owner, group)
    visitor.look = request.param
    visitor.see(visitor.page.get_by_role("heading", level=1, name="새벽 다섯시 스터디"))
    yield visitor, words, group, (owner, haneul, minseo)
    visitor.leave()


def enter(visitor, person, group):
    """Signs them in and goes to the group's page."""
    visitor.sign_in(person.email)
    visitor.page.goto(f"/groups/{group['id']}")
    return visitor


def look_at(visitor, name, pictures):
    visitor.settle()
    assert examine(visitor, f"{name}-{visitor.look}", pictures) == []


def press(page, name, exact=True):
    page.get_by_role("button", name=name, exact=exact).click()


def test_a_group_is_edited_and_new_rules_are_announced(room, pictures):
    visitor, words, group, (owner, *_) = room
    page = visitor.page
    press(page, words["settings"])
    dialog = page.get_by_role("dialog")
    look_at(visitor, "sheet-group-settings", pictures)
    dialog.get_by_label(words["emoji"]).fill("🐜🐜")
    press(dialog, words["save"])
    expect(dialog.get_by_label(words["emoji"])).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label(words["emoji"]).fill("🐜")
    dialog.get_by_label(words["name"], exact=True).fill("여섯시 스터디")
    dialog.get_by_label(words["plum"]).check()
    dialog.get_by_label(words["goal"]).fill("12")
    # A switch applies at once; what was typed is still there to be saved.
    dialog.get_by_role("switch", name=words["badge"]).check()
    visitor.see(dialog.get_by_role("button", name=words["show"]))
    now = owner.get(f"/groups/{group['id']}").json()
    assert (now["badge_allowed"], now["colour"]) == (True, "leaf")
    press(dialog, words["save"])
    visitor.see(page.get_by_role("heading", level=1, name="여섯시 스터디"))
    expect(page.get_by_role("button", name=words["settings"], exact=True)).to_be_focused()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("heading", level=1, name="여섯시 스터디")).to_be_visible()
    expect(page.locator("h1 .sign.hue-plum")).to_have_text("🐜")
    # The place of its clock has one name.
    expect(page.get_by_role("main")).to_contain_text(words["place"])
    expect(page.get_by_role("main")).not_to_contain_text("Asia/Seoul")
    # It reads as one sentence.
    expect(page.get_by_text(words["reached"])).to_have_css("display", "block")
    now = owner.get(f"/groups/{group['id']}").json()
    assert (now["emoji"], now["colour"], now["badge_allowed"], now["duel"]) == ("🐜", "plum", True, False)
    assert now["description"] == "다섯 시에 만나요.\n늦어도 괜찮아요."

    press(page, words["settings"])
    dialog.get_by_label(words["goal"]).fill("13")
    press(page, words["rules"])
    expect(dialog.get_by_label(words["goal"])).to_have_value("13")
    press(page, words["rules"])
    look_at(visitor, "sheet-group-rules", pictures)
    dialog.get_by_label(words["cap"]).select_option("36000")
    dialog.get_by_role("switch", name=words["manual"], exact=True).uncheck()
    press(dialog, words["declare"])
    expect(dialog).to_have_count(0)
    note = page.locator(".notice", has_text=words["coming"])
    expect(note).to_contain_text(words["hours"])
    expect(note).to_contain_text(words["by_hand"])
    look_at(visitor, "group-coming", pictures)
    page.goto("/groups")
    visitor.see(page.get_by_role("link", name="여섯시 스터디"))
    look_at(visitor, "group-list", pictures)
    # All of the card leads there.
    page.locator(".cards .card").first.click(position={"x": 400, "y": 8})
    visitor.see(page.get_by_role("heading", level=1, name="여섯시 스터디"))


def test_what_another_admin_changes_stays_when_the_settings_are_saved(room):
    visitor, words, group, (owner, *_) = room
    page, at = visitor.page, f"/groups/{group['id']}"
    # The page is old, and while the sheet is open it gets older still.
    owner.patch(at, {"description": "여섯 시에 만나요.", "duel": True})
    press(page, words["settings"])
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("[name=description]")).to_have_value("여섯 시에 만나요.")
    expect(dialog.locator("[name=duel]")).to_be_checked()
    owner.patch(at, {"month_goal_seconds": 36000, "colour": "plum", "emoji": "🐜"})
    dialog.get_by_label(words["name"], exact=True).fill("여섯시 스터디")
    # A switch that is turned meanwhile brings nothing of that into the form.
    dialog.get_by_role("switch", name=words["badge"]).check()
    visitor.see(dialog.get_by_role("button", name=words["show"]))
    press(dialog, words["save"])
    visitor.see(page.get_by_role("heading", level=1, name="여섯시 스터디"))
    now = owner.get(at).json()
    assert (now["name"], now["description"]) == ("여섯시 스터디", "여섯 시에 만나요.")
    assert (now["month_goal"]["seconds"], now["colour"], now["emoji"]) == (36000, "plum", "🐜")
    # Nothing typed is nothing changed.
    press(page, words["settings"])
    press(dialog, words["save"])
    expect(dialog).to_have_count(0)
    assert owner.get(at).json()["name"] == "여섯시 스터디"


def test_a_group_is_created_with_emoji_and_colour(room, pictures):
    visitor, words, _, (owner, *_) = room
    visitor.page.goto("/groups")
    visitor.button("new_group").click()
    visitor.field("name").fill("Night owls")
    visitor.page.get_by_label(words["emoji"]).fill("🦉")
    visitor.page.get_by_label(words["plum"]).check()
    look_at(visitor, "sheet-group-new", pictures)
    visitor.button("create").click()
    visitor.see(visitor.page.get_by_role("heading", level=1, name="Night owls"))
    expect(visitor.page.locator("h1 .sign.hue-plum")).to_have_text("🦉")
    signs = {each["name"]: (each["emoji"], each["colour"]) for each in owner.get("/groups").json()["items"]}
    assert signs["Night owls"] == ("🦉", "plum")


def test_home_leads_to_a_group_at_once(service, chromium):
    visitor = Visitor(service, chromium, "Dodam", "en").open_account()
    page = visitor.page
    page.get_by_role("link", name="New group").click()
    dialog = visitor.see(page.get_by_role("dialog", name="New group"))
    # Coming back here does not open it again.
    page.reload()
    visitor.see(page.get_by_role("button", name="New group"))
    expect(dialog).to_have_count(0)
    page.go_back()
    page.get_by_role("link", name="Find a group").click()
    visitor.see(page.get_by_role("heading", level=1, name="Find a group"))
    visitor.leave()


def test_members_are_promoted_banned_unbanned_and_made_owner(room, pictures):
    visitor, words, group, (owner, haneul, minseo) = room
    page = visitor.page
    at = f"/groups/{group['id']}"

    def manage(name, deed):
        page.get_by_role("button", name=words["manage"].format(name)).click()
        row = page.locator("dialog .people li", has_text=name)
        look_at(visitor, f"sheet-group-{deed}", pictures)
        press(row, words[deed])
        press(row, words[deed])

    press(page, words["members"])
    visitor.see(page.get_by_text(words["only_owner"]))
    leave = page.get_by_role("dialog").get_by_role("button", name=words["leave"], exact=True)
    expect(leave).to_have_count(0)
    manage("하늘", "promote")
    row = page.locator("dialog .people li", has_text="하늘")
    expect(row.locator(".hint").first).to_have_text(words["admin"])
    assert haneul.get(at).json()["my_role"] == "admin"
    manage("민서", "promote")
    expect(page.locator("dialog .people .nick bdi")).to_have_text(["도담", "민서", "하늘"])
    manage("민서", "demote")
    expect(page.locator("dialog .people .nick bdi")).to_have_text(["도담", "하늘", "민서"])
    manage("민서", "ban")
    expect(page.get_by_role("heading", name=words["banned"])).to_be_visible()
    assert minseo.get(at).status_code == 404
    look_at(visitor, "sheet-group-members", pictures)
    press(page, words["lift"].format("민서"))
    press(page, words["lift_sure"])
    expect(page.get_by_role("heading", name=words["banned"])).to_have_count(0)
    assert owner.get(f"{at}/bans").json()["items"] == []

    page.get_by_text(words["hidden"], exact=True).click()
    expect(page.get_by_text(words["hiding"])).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("listitem").filter(has_text=f"· {words['hidden']}")).to_have_count(1)
    assert owner.get(at).json()["my_visibility"] == "hidden"
    manage("하늘", "hand_on")
    expect(page.get_by_role("button", name=words["manage"].format("하늘"))).to_have_count(0)
    visitor.see(leave)
    assert haneul.get(at).json()["my_role"] == "owner" and owner.get(at).json()["my_role"] == "admin"
    leave.click()
    page.locator("dialog .ask").get_by_role("button", name=words["leave"], exact=True).click()
    expect(page).to_have_url(re.compile("/groups$"))
    expect(page.get_by_role("status").filter(has_text=words["gone"])).to_have_count(1)


def test_an_invitation_is_created_with_a_limit_and_withdrawn(room, pictures):
    visitor, words, group, (owner, *_) = room
    page = visitor.page
    at = f"/groups/{group['id']}/invitations"
    for invitation in owner.get(at).json()["items"]:
        owner.delete(f"{at}/{invitation['id']}")
    press(page, words["invite"])
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(words["none"])).to_be_visible()
    dialog.get_by_label(words["uses"]).fill("3")
    press(dialog, words["make"])
    link = visitor.see(visitor.field("link")).input_value()
    expect(dialog.get_by_text(words["left"])).to_have_count(2)
    picture = dialog.get_by_role("img", name=re.compile(re.escape(words["qr"])))
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
    look_at(visitor, "sheet-group-invite", pictures)
    guest = behind(visitor, link)
    assert guest.status == 200
    press(dialog, re.compile(words["revoke"]), exact=False)
    expect(dialog.locator(".ask").get_by_role("button")).to_have_text([words["revoke"], words["keep"]])
    dialog.locator(".ask").get_by_role("button", name=words["revoke"], exact=True).click()
    expect(dialog.get_by_text(words["none"])).to_be_visible()
    expect(dialog.get_by_role("heading", name=words["invite"])).to_be_focused()
    assert behind(visitor, link).status == 410


def behind(visitor, link):
    """What the invitation behind a link answers now."""
    return visitor.context.request.get(f"/api/v1/invitations/{link.rsplit('/', 1)[1]}")


def test_a_member_sees_no_settings_but_chooses_their_visibility(service, clock, people, chromium, pictures):
    clock.set(NOW)
    owner, member = people("Dodam"), people("Haneul")
    group = owner.found_group("Dawn Room", month_goal_seconds=36000)
    member.join(owner.invite(group)["code"])
    visitor = enter(Visitor(service, chromium, "Haneul", "en"), member, group)
    visitor.look = "member"
    visitor.see(visitor.button("members"))
    expect(visitor.page.get_by_role("button", name=EN["settings"])).to_have_count(0)
    expect(visitor.page.get_by_role("button", name=EN["invite"], exact=True)).to_have_count(0)
    visitor.button("members").click()
    expect(visitor.page.get_by_role("button", name=re.compile("^Manage"))).to_have_count(0)
    visitor.page.get_by_text("Name only", exact=True).click()
    expect(visitor.page.get_by_text("The group sees your nickname and your time, without a picture, a subject or ants.")).to_be_visible()
    look_at(visitor, "sheet-group-own-place", pictures)
    assert member.get(f"/groups/{group['id']}").json()["my_visibility"] == "nickname"
    # What cannot be saved is not shown as chosen.
    visitor.page.route("**/members/me", lambda route: route.abort())
    visitor.page.get_by_text("Hidden", exact=True).click()
    visitor.see(visitor.page.get_by_role("dialog").get_by_role("alert"))
    expect(visitor.page.get_by_role("radio", name="Name only")).to_be_checked()
    # What is reached this month is not told beside another one.
    page = visitor.page
    page.keyboard.press("Escape")
    expect(page.locator(".aim")).to_be_visible()
    page.get_by_role("link", name="Previous").click()
    expect(page).to_have_title(re.compile("October"))
    expect(page.locator(".aim")).to_be_hidden()
    visitor.leave()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_home_and_the_board_rank_nobody_who_has_not_studied(service, clock, named, chromium, pictures, language):
    clock.set(NOW)
    owner, member = named("Dodam", language), named("Haneul")
    group = owner.found_group("Dawn Room")
    member.join(owner.invite(group)["code"])
    visitor = Visitor(service, chromium, "Dodam", language)
    visitor.look = language
    visitor.sign_in(owner.email)
    page = visitor.page
    visitor.go_home()
    card = page.get_by_role("region", name="Dawn Room")
    visitor.see(card.get_by_text({"ko": "11월에는 아직 기록이 없어요", "en": "November: no study yet"}[language]))
    expect(card.get_by_role("table")).to_be_hidden()
    look_at(visitor, "home-fresh", pictures)
    owner.log("2026-11-20T21:00:00Z", "2026-11-20T22:00:00Z")
    clock.set("2026-11-21T06:00:00Z")
    visitor.go_home()
    expect(card.get_by_role("row")).to_have_count(3)
    expect(card.get_by_text({"ko": "아직 기록이", "en": "no study yet"}[language])).to_have_count(0)
    # Who has no time has lost no rank.
    expect(card.locator(".move")).to_have_count(1)
    visitor.leave()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_hours_between_two_clocks_are_told_before_they_are_announced(service, clock, named, chromium, language, pictures):
    clock.set(NOW)
    owner = named("Dodam", language)
    group = owner.found_group("Dawn Room")
    visitor = enter(Visitor(service, chromium, "Dodam", language, viewport={"width": 390, "height": 844}), owner, group)
    page, words = visitor.page, {"ko": KO, "en": EN}[language]
    neither, both, early, later = {
        "ko": (
            "12월 1일 05:00부터 12월 1일 19:00까지의 공부는 어느 달에도 들어가지 않아요.",
            "12월 1일 04:00부터 12월 1일 05:00까지의 공부는 두 달에 모두 들어가요.",
            "12월 1일 05:00부터 12월 1일 06:00까지의",
            "12월 31일 15:00부터 2027년 1월 1일 05:00까지의 공부는 두 달에 모두",
        ),
        "en": (
            "study from 1 December at 05:00 to 1 December at 19:00 counts in neither month.",
            "study from 1 December at 04:00 to 1 December at 05:00 counts in both months.",
            "study from 1 December at 05:00 to 1 December at 06:00",
            "31 December at 15:00 to 1 January 2027 at 05:00 counts in both months.",
        ),
    }[language]
    zone = page.locator("[name=time_zone]")
    told = page.get_by_role("dialog").locator("form [role=status]")

    def open_rules():
        press(page, words["settings"])
        press(page, words["rules"])
        visitor.see(zone)

    open_rules()
    expect(told).to_be_empty()
    page.locator("[name=day_starts_at]").select_option("04:00")
    expect(told).to_contain_text(both)
    page.locator("[name=day_starts_at]").select_option("06:00")
    expect(told).to_contain_text(early)
    page.locator("[name=day_starts_at]").select_option("05:00")
    expect(told).to_be_empty()
    zone.select_option("America/New_York")
    expect(told).to_contain_text(neither)
    take_picture(page.get_by_role("dialog"), pictures / f"rules-clock-{language}.png")
    press(page.get_by_role("dialog"), words["declare"])
    expect(page.get_by_role("dialog")).to_have_count(0)
    # The board says the same.
    visitor.see(page.get_by_role("main").get_by_text(neither))

    # So late that the next month cannot have other rules.
    clock.set("2026-11-29T03:00:00Z")
    page.reload()
    open_rules()
    zone.select_option("Asia/Seoul")
    expect(told).to_contain_text(later)
    visitor.leave()


def test_between_the_months_of_a_clock_moved_west_the_last_period_is_now(service, clock, named, chromium):
    clock.set(NOW)
    owner, member = named("Dodam"), named("Haneul")
    group = owner.found_group("Dawn Room")
    member.join(owner.invite(group)["code"])
    assert owner.patch(f"/groups/{group['id']}", {"rules": {"time_zone": "America/New_York"}}).status_code == 200
    owner.log("2026-11-20T21:00:00Z", "2026-11-20T22:00:00Z")
    # Seoul's November ended at 20:00 UTC; New York's December begins at 10:00.
    clock.set("2026-12-01T01:00:00Z")
    visitor = enter(Visitor(service, chromium, "Dodam", "en", viewport={"width": 390, "height": 844}), owner, group)
    page = visitor.page
    visitor.see(page.get_by_text("New rules from December"))
    visitor.see(page.get_by_role("region", name="Nobody is studying right now"))
    expect(page.get_by_role("link", name="Next month has not started")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("link", name="Day", exact=True).click()
    expect(page).to_have_title(re.compile("30 November"))
    expect(page.get_by_role("link", name="Tomorrow has not started")).to_have_attribute("aria-disabled", "true")
    visitor.go_home()
    visitor.see(page.get_by_role("region", name="Dawn Room").get_by_role("table"))
    expect(page.locator(".board .move")).to_have_count(0)
    visitor.leave()
