"""What a group that allows it shows of itself to anybody, on any page."""

import xml.etree.ElementTree as ElementTree

import pytest
from person import expect, new_id
from race import in_a_row

NOON = "2026-11-21T03:00:00Z"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(answer):
    """The picture's texts, from top to bottom, and all its elements."""
    root = ElementTree.fromstring(answer.content)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    return root, texts


def test_anybody_sees_the_badge_of_a_group_that_allows_it(service, people):
    service.set_clock("2026-11-21T00:00:00Z")
    owner, friend, stranger = people(service), people(service, "Minsu"), people(service, registered=False)
    group = owner.found_group("새벽 다섯시", emoji="🐜", colour="plum", month_goal_seconds=36000, badge_allowed=True)
    friend.join(owner.invite(group)["code"])
    expect(owner.log("2026-11-20T21:00:00Z", "2026-11-20T23:00:00Z"), 201)
    expect(friend.start(), 201)
    service.set_clock("2026-11-21T00:30:30Z")
    at = f"/groups/{group['id']}/badge.svg?locale=ko"
    answer = expect(stranger.get(at), 200)
    root, texts = drawn(answer)
    assert texts == ["🐜", "새벽 다섯시", "2:3011월에 함께한 시간", "2명●지금 1명 공부 중", "목표의 25%"]
    assert root.get("aria-label") == "새벽 다섯시, 2:30 11월에 함께한 시간, 2명, 지금 1명 공부 중, 목표의 25%"
    assert not any(person.name in answer.text or person.uid in answer.text for person in (owner, friend))
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {"svg", "style", "rect", "circle", "text", "tspan"}
        assert not any(name.endswith("href") or name.startswith("on") for name in element.attrib)
    assert "url(" not in answer.text and "@import" not in answer.text

    assert answer.headers["content-type"].split(";")[0] == "image/svg+xml"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    fresh = expect(stranger.get(at, headers={"If-None-Match": answer.headers["etag"]}), 304)
    assert fresh.content == b"" and fresh.headers["cache-control"] == "public, max-age=60"
    head = stranger.ask("HEAD", at)
    assert head.status_code == 200 and head.content == b""
    expect(friend.post("/me/timer/stop"), 200)


def test_a_badge_speaks_the_viewers_language_and_wears_their_theme_or_the_ones_asked_for(service, people):
    owner = people(service)
    at = f"/groups/{owner.found_group('Night owls', badge_allowed=True)['id']}/badge.svg"

    def texts(query="", language="en"):
        return drawn(expect(owner.get(at + query, token=None, headers={"Accept-Language": language}), 200))[1]

    assert texts()[-1] == "1 member" and texts("?locale=en", "ko") == texts()
    assert texts(language="ko")[-1] == "1명" and texts("?locale=ko") == texts(language="ko")
    assert expect(owner.get(at), 200).headers["vary"] == "Accept-Language"
    system, light, dark = (expect(owner.get(f"{at}?theme={theme}"), 200).text for theme in ("system", "light", "dark"))
    assert expect(owner.get(at), 200).text == system and "prefers-color-scheme" in system
    assert light != dark and "prefers-color-scheme" not in light + dark


def test_without_consent_a_badge_is_not_there_as_if_there_were_no_group(service, people):
    owner = people(service)
    group = owner.found_group()
    at = f"/groups/{group['id']}"
    # Neither its own members nor anybody else learn more than of a group that does not exist.
    for token in (owner.token, None):
        refused = expect(owner.get(f"{at}/badge.svg", token=token), 404, "not_found").json()
        unknown = expect(owner.get(f"/groups/{new_id()}/badge.svg", token=token), 404, "not_found").json()
        assert {**refused, "request_id": ""} == {**unknown, "request_id": ""}
    expect(owner.patch(at, {"badge_allowed": True}), 200)
    expect(owner.get(f"{at}/badge.svg", token=None), 200)
    expect(owner.patch(at, {"badge_allowed": False}), 200)
    expect(owner.get(f"{at}/badge.svg", token=None), 404, "not_found")
    expect(owner.patch(at, {"badge_allowed": True}), 200)
    expect(owner.delete(at), 204)
    expect(owner.get(f"{at}/badge.svg", token=None), 404, "not_found")


@pytest.mark.parametrize(
    "name",
    [
        "</text><script>alert(1)</script>",
        'a" onload="x',
        "&amp;&#0;",
        "]]><!--",
        "م" * 50,
        "👩‍👩‍👧‍👦" * 5,
        "새벽 다섯시에 모여 시험을 준비하는 사람들의 아주 긴 이름",
    ],
)
def test_any_name_stays_a_name(service, people, name):
    owner = people(service)
    group = owner.found_group(name, badge_allowed=True)
    root, texts = drawn(expect(owner.get(f"/groups/{group['id']}/badge.svg", token=None), 200))
    assert texts[1] == name or (texts[1].endswith("…") and name.startswith(texts[1][:-1]))
    assert root.get("aria-label").startswith(name)


def test_what_is_in_the_database_by_other_ways_does_no_harm_either(service, people):
    owner = people(service)
    group = owner.found_group(badge_allowed=True)
    service.cluster.sql("UPDATE groups SET name = %s WHERE group_id = %s", "Owls \u202e\u2066\ufffe!", group["id"])
    root, texts = drawn(expect(owner.get(f"/groups/{group['id']}/badge.svg", token=None), 200))
    assert texts[1] == "Owls !" and root.get("aria-label").startswith("Owls !,")


def test_only_badges_and_public_boards_may_be_framed(service, people):
    owner = people(service)
    group = owner.found_group(badge_allowed=True)
    at = f"/groups/{group['id']}"
    assert "frame-ancestors *" in expect(owner.get(f"{at}/badge.svg"), 200).headers["content-security-policy"]
    code = owner.invite(group)["code"]
    for path in (
        at,
        f"{at}/leaderboard",
        f"{at}/leaderboard.csv",
        f"/invitations/{code}/qr.svg",
        "/me",
        "/nothing",
        "//board",
        "//healthz",
    ):
        assert "frame-ancestors 'none'" in owner.get(path).headers["content-security-policy"], path


def test_somebody_shows_a_badge_of_their_own_until_they_turn_it_off(service, people):
    service.set_clock("2026-11-21T00:00:00Z")
    person = people(service, "Mina <&>")
    expect(person.log("2026-11-20T21:00:00Z", "2026-11-20T23:00:00Z"), 201)
    url = expect(person.post("/me/badge", {"period": "day"}), 201).json()["url"]
    path = url.removeprefix(service.origin)
    secret = path.removeprefix("/badges/").removesuffix(".svg")
    answer = expect(person.http.get(path, params={"locale": "en"}), 200)
    root, texts = drawn(answer)
    assert texts == ["M", "Mina <&>", "2:00of study today", "Anthill"] and person.uid not in answer.text
    assert root.get("aria-label") == "Mina <&>, 2:00 of study today, Anthill"
    assert "frame-ancestors *" in answer.headers["content-security-policy"]
    tag = {"If-None-Match": answer.headers["etag"]}
    expect(person.http.get(path, params={"locale": "en"}, headers=tag), 304)
    assert secret not in service.log_file.read_text()
    [[kept]] = service.cluster.sql("SELECT to_jsonb(b)::text FROM badges b WHERE uid = %s", person.uid)
    assert secret not in kept
    expect(person.patch("/me/badge", {"period": "year"}), 422, "invalid_period")
    expect(person.patch("/me/badge", {"period": "month"}), 200)
    assert drawn(expect(person.http.get(path, params={"locale": "ko"}), 200))[1][2] == "2:0011월에 공부한 시간"
    expect(person.delete("/me/badge"), 204)
    expect(person.http.get(path), 404)


def test_a_group_shows_its_board_on_any_page_if_its_admins_want_that(service, people):
    service.set_clock(NOON)
    owner, friend = people(service, "Mina <b>"), people(service, "Haru")
    group = owner.found_group("Night & owls")
    at = f"/groups/{group['id']}"
    friend.join(owner.invite(group)["code"])
    expect(owner.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z"), 201)
    expect(friend.patch(f"{at}/members/me", {"visibility": "hidden"}), 200)
    page = f"{at}/embed"
    refused = expect(owner.http.get(page), 404)
    assert "frame-ancestors 'none'" in refused.headers["content-security-policy"]
    expect(owner.get(f"{at}/public-leaderboard", token=None), 404, "not_found")
    expect(friend.patch(at, {"board_public": True}), 403)
    expect(owner.patch(at, {"board_public": True}), 200)
    board = expect(owner.get(f"{at}/public-leaderboard", token=None), 200).json()
    assert [(each["rank"], each["nickname"], each["seconds"]) for each in board["entries"]] == [(1, "Mina <b>", 7200), (2, None, None)]
    shown = expect(owner.http.get(page, params={"language": "en"}), 200)
    assert (
        shown.headers["content-security-policy"].endswith("frame-ancestors *")
        and "script-src 'none'" in shown.headers["content-security-policy"]
    )
    assert shown.headers["cache-control"] == "public, max-age=60" and "set-cookie" not in shown.headers
    text = shown.text
    assert "Mina &lt;b&gt;" in text and "Night &amp; owls" in text and "2:00" in text and "Someone" in text and "<script" not in text
    assert not any(secret in text for secret in (owner.uid, friend.uid, "Haru"))
    months = owner.http.get(f"{at}/months")
    assert "frame-ancestors 'none'" in months.headers["content-security-policy"]
    expect(owner.patch(at, {"board_public": False}), 200)
    expect(owner.http.get(page), 404)


def test_who_asks_too_often_for_badges_is_told_to_wait(service, people):
    asker = people(service, registered=False)
    at = f"/groups/{people(service).found_group(badge_allowed=True)['id']}/badge.svg"
    statuses = in_a_row(service, [("GET", at, {"X-Forwarded-For": asker.address})] * 650)
    assert 290 <= statuses.index(429) < 620 and set(statuses) == {200, 429}
