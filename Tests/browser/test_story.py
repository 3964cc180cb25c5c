"""The main job from end to end: two people register, study, and see the month's ranking of their group."""

import re

import pytest
from playwright.sync_api import expect
from service import wait_until
from visitor import Visitor

HOUR, MINUTE = 3600, 60


@pytest.fixture
def sora(service, chromium):
    visitor = Visitor(service, chromium, "새벽네시의도토리", "ko")
    yield visitor
    visitor.leave()


@pytest.fixture
def alex(service, chromium):
    # Alex lives in another zone; the group's clock counts anyway.
    visitor = Visitor(service, chromium, "Alex <b>&</b> co", "en", zone="Europe/Berlin")
    yield visitor
    visitor.leave()


def test_two_people_register_study_and_see_the_months_ranking(service, clock, sora, alex):
    # Friday, 20 November, 21:00 in Seoul.
    clock.set("2026-11-20T12:00:00Z")

    # In Korean: from the landing page through the email to the home page.
    sora.register()
    expect(sora.page).to_have_url(re.compile("/home$"))
    sora.see(sora.page.get_by_role("timer"))
    expect(sora.page.locator("html")).to_have_attribute("lang", "ko")

    # The timer: an hour of study, a reload, ten minutes of break, half an hour of study.
    sora.button("start").click()
    sora.see(sora.button("pause"))
    clock.advance(HOUR)
    sora.page.reload()
    expect(sora.page.get_by_role("timer")).to_contain_text(re.compile(r"1:00:\d\d"))
    sora.button("pause").click()
    sora.see(sora.button("resume"))
    clock.advance(10 * MINUTE)
    sora.button("resume").click()
    sora.see(sora.button("pause"))
    clock.advance(30 * MINUTE)
    sora.button("stop").click()
    sora.see(sora.button("start"))
    expect(sora.page.locator("#today")).to_contain_text("1:30")

    # An earlier session by hand; the first try overlaps the timed one and is refused.
    sora.log("2026-11-20", "21:20", "21:40")
    expect(sora.field("from")).to_have_attribute("aria-invalid", "true")
    expect(sora.page.locator(".err:visible")).to_contain_text("21:00")
    sora.field("from").fill("09:00")
    sora.field("to").fill("10:15")
    sora.button("log_it").click()
    expect(sora.page.locator("#today")).to_contain_text("2:45")

    group = sora.found_group("새벽 다섯시 스터디")
    link = sora.invite()
    assert link.startswith(f"{service.origin}/join/")

    # In English: the link first, then the account, which is a member of the group at once.
    alex.page.goto(link)
    alex.see(alex.page.get_by_role("heading", name="새벽 다섯시 스터디"))
    alex.ask_to_register()
    alex.open_link_from_mail()
    alex.choose_name_and_password()
    expect(alex.page).to_have_url(group)
    expect(alex.page.locator("html")).to_have_attribute("lang", "en")

    alex.log("2026-11-20", "10:00", "12:05")
    expect(alex.page.locator("#today")).to_contain_text("2:05")

    expected = [
        [1, "새벽네시의도토리", 1 * HOUR + 30 * MINUTE + 1 * HOUR + 15 * MINUTE, "45%"],
        [2, "Alex <b>&</b> co", 2 * HOUR + 5 * MINUTE, "100%"],
    ]
    for visitor in (sora, alex):
        visitor.page.goto(group)
        assert visitor.board() == expected


def test_a_night_across_the_end_of_a_month_counts_for_both_months(service, clock, sora, alex):
    # Tuesday, 1 December, 06:30 in Seoul: the study day of 30 November ended at 05:00.
    clock.set("2026-11-30T15:00:00Z")
    sora.register()
    sora.see(sora.page.get_by_role("timer"))
    group = sora.found_group("달을 넘는 밤")
    link = sora.invite()
    alex.register(link)
    expect(alex.page).to_have_url(group)

    clock.set("2026-11-30T21:30:00Z")
    sora.log("2026-12-01", "03:20", "06:10")
    expect(sora.page.locator("#today")).to_contain_text("1:10")
    # The same evening in Berlin: 20:30 on 30 November is 04:30 on 1 December in Seoul.
    alex.log("2026-11-30", "20:30", "21:20")

    for visitor in (sora, alex):
        visitor.page.goto(group)
        assert visitor.board() == [[1, "새벽네시의도토리", 70 * MINUTE, "100%"], [2, "Alex <b>&</b> co", 20 * MINUTE, "100%"]]
        before = visitor.page.get_by_role("link", name=re.compile(f"^{visitor.words['previous']}"))
        before.click()
        expect(visitor.page).to_have_url(re.compile("at=2026-11"))
        expect(visitor.page.locator("td.time").first).to_have_attribute("data-seconds", str(100 * MINUTE))
        assert visitor.board() == [[1, "새벽네시의도토리", 100 * MINUTE, "100%"], [2, "Alex <b>&</b> co", 30 * MINUTE, "100%"]]
        expect(before).to_be_focused()

    # 48 hours after its end November is closed, and its board says how it ended.
    clock.set("2026-12-02T20:00:00Z")
    closed = "SELECT 1 FROM month_closes WHERE group_id = %s"
    wait_until(lambda: service.cluster.sql(closed, group.rsplit("/", 1)[1]), what="November to be closed")
    sora.page.reload()
    podium = sora.see(sora.page.get_by_role("region", name="11월은 이렇게 끝났어요"))
    assert podium.locator("bdi").all_text_contents() == ["새벽네시의도토리", "Alex <b>&</b> co"]
