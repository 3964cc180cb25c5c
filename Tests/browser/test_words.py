"""How the pages write times and shares, and which day an instant belongs to: asked of their modules."""

import json
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.both_languages


@pytest.fixture(scope="module")
def ask(service, chromium):
    """Answers an expression in JavaScript about the module of that path."""
    page = chromium.new_page()
    page.goto(service.origin + "/help")
    yield lambda path, expression: page.evaluate(f"import('/js/{path}.js').then(module => {expression})")
    page.close()


def test_a_minute_shows_when_it_is_over(ask):
    assert ask("words/time", "[0, 59, 60, 3599, 3600, 3661, 421699].map(module.hm)") == [
        "0:00", "0:00", "0:01", "0:59", "1:00", "1:01", "117:08",
    ]  # fmt: skip
    assert ask("words/time", "[0, 59, 60, 3661, 421699].map(module.hms)") == ["0:00:00", "0:00:59", "0:01:00", "1:01:01", "117:08:19"]
    assert ask("words/time", "[0, 59, 60, 3599, 3600, 4365].map(module.clock)") == ["0:00", "0:59", "1:00", "59:59", "1:00:00", "1:12:45"]


@pytest.mark.parametrize("language, told", [("ko", ["0초", "59초", "1분", "59분", "1시간", "1시간 1분"]),
                                            ("en", ["0 s", "59 s", "1 min", "59 min", "1 h", "1 h 1 min"])])  # fmt: skip
def test_a_length_is_told_in_hours_and_minutes_and_in_seconds_only_below_one(ask, language, told):
    assert ask(f"words/{language}", "[0, 59, 60, 3599, 3600, 3719].map(module.words.duration)") == told


@pytest.mark.parametrize(
    "language, number, hours, day, address",
    [
        (
            "ko",
            "1부터 720까지의 정수를 입력해 주세요.",
            "0부터 168까지의 수를 입력해 주세요.",
            "11월 22일부터 2027년 11월 21일까지 고를 수 있어요.",
            "https://example.kr 같은 주소를 입력해 주세요.",
        ),
        (
            "en",
            "Enter a whole number from 1 to 720.",
            "Enter a number from 0 to 168.",
            "Choose a day from 22 November to 21 November 2027.",
            "Enter an address like https://example.kr.",
        ),
    ],
)
def test_a_field_out_of_its_bounds_names_them(service, chromium, language, number, hours, day, address):
    page = chromium.new_page(locale={"ko": "ko-KR", "en": "en-GB"}[language])
    page.goto(service.origin + "/help")
    lacking = lambda **of: page.evaluate(f"of => import('/js/words/{language}.js').then(({{ words }}) => words.form.lacking(of))", of)
    assert lacking(validity={"rangeOverflow": True}, type="number", min="1", max="720", step="1") == number
    assert lacking(validity={"badInput": True}, type="number", min="0", max="168", step="any") == hours
    assert lacking(validity={"rangeUnderflow": True}, type="date", min="2026-11-22", max="2027-11-21") == day
    assert lacking(validity={"typeMismatch": True}, type="url") == address
    page.close()


@pytest.mark.parametrize(
    "instant, day",
    [
        ("2026-11-21T04:29:59+09:00", "2026-11-20"),
        ("2026-11-21T04:30:00+09:00", "2026-11-21"),
        ("2026-11-22T04:29:59+09:00", "2026-11-21"),
    ],
)
def test_a_study_day_begins_at_its_hour_and_minute(ask, instant, day):
    clock = "{time_zone: 'Asia/Seoul', day_starts_at: '04:30'}"
    assert ask("words/time", f"module.studyDay(Date.parse('{instant}'), {clock})") == day


# Each has a change of its clock in that day, of an hour or half an hour, at night or at midnight.
CHANGES = [
    ("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25"), ("America/New_York", "2026-03-08"), ("America/New_York", "2026-11-01"),
    ("Atlantic/Azores", "2026-03-29"), ("Atlantic/Azores", "2026-10-25"), ("Australia/Lord_Howe", "2026-04-05"),
    ("America/Havana", "2026-03-08"), ("Asia/Beirut", "2026-03-29"), ("Asia/Seoul", "2026-11-21"),
]  # fmt: skip


def test_the_study_day_of_an_instant_is_the_one_of_the_database(service, ask):
    asked = service.cluster.sql(
        """
        SELECT extract(epoch FROM at)::bigint * 1000, zone, start, study_day(at, zone, start::time)::text
        FROM unnest(%s::text[], %s::date[]) AS change (zone, day),
          unnest(ARRAY['00:00', '00:30', '01:30', '02:00', '02:30', '04:30']) AS start,
          generate_series(day - interval '14 hours', day + interval '26 hours', '1799 seconds') AS at
        """,
        *map(list, zip(*CHANGES, strict=True)),
    )
    given = [{"at": at, "clock": {"time_zone": zone, "day_starts_at": start}} for at, zone, start, _ in asked]
    assert ask("words/time", f"{json.dumps(given)}.map(({{ at, clock }}) => module.studyDay(at, clock))") == [day for *_, day in asked]


@pytest.mark.parametrize(
    "day, monday",
    [("2026-11-15", "2026-11-09"), ("2026-11-16", "2026-11-16"), ("2026-11-22", "2026-11-16"), ("2027-01-01", "2026-12-28")],
)
def test_a_week_is_named_by_its_monday(ask, day, monday):
    assert ask("words/time", f"module.periodOf('week', '{day}')") == monday


def test_a_date_of_another_year_has_its_year(ask):
    assert ask("words/time", "module.monthTitle('2025-11', '2026-11-25')") in ("November 2025", "2025년 11월")
    assert ask("words/time", "module.dayTitle('2026-11-21', '2026-11-25')") in ("21 November", "November 21", "11월 21일")
    assert ask("words/time", "module.dayTitle('2027-11-26', '2026-11-25')") in ("26 November 2027", "November 26, 2027", "2027년 11월 26일")
    assert "2025" in ask("words/time", "module.dayRange('2025-12-29', '2026-01-04', '2026-11-25')")
    assert "2026" not in ask("words/time", "module.dayRange('2026-11-16', '2026-11-22', '2026-11-25')")
    assert "2027" in ask("words/time", "module.dayInFull('2027-02-14', '2026-11-25')")
    years = "[0, 365].map((days) => new Date(Date.now() + days * 86400000))"
    assert ask("words/time", f"{years}.map((day) => /20\\d\\d/.test(module.dayAndTime(day.toISOString(), 'UTC')))") == [False, True]


@pytest.mark.parametrize("manual, seconds, share", [(0, 3600, 0), (0, 0, 0), (1, 36000, 1), (899, 3600, 25), (3600, 3600, 100)])
def test_a_share_of_time_by_hand_is_rounded_and_the_smallest_is_one_percent(ask, manual, seconds, share):
    assert ask("boards/board", f"module.handShare({{seconds: {seconds}, manual_seconds: {manual}}})") == share


def test_who_has_risen_on_a_board_is_said_to_have_risen(ask):
    entries = ", ".join(
        f"{{uid: '00000{n}', nickname: 'A', rank: {n}, seconds: {9 - n}, manual_seconds: 0, change: {change}}}"
        for n, change in ((1, 2), (2, -1), (3, 0))
    )
    told = ask(
        "boards/board",
        f"""{{
            const table = module.table("", {{ user: {{ uid: null }} }});
            table.update(module.rows({{ order: "seconds", participants: 3, next: null, me: null, entries: [{entries}] }}));
            return [...table.body.querySelectorAll(".move")].map((move) => [move.className, move.querySelector(".vh").textContent]);
        }}""",
    )
    words = "[module.words.board.up(2), module.words.board.down(1), module.words.board.same]"
    assert told == [*map(list, zip(("move up", "move", "move"), ask("words/i18n", words)))]


def test_english_words_are_written_in_latin_letters(ask):
    texts = """{
        const texts = (value) => typeof value === "string" || typeof value === "function" ? [String(value)]
            : value && typeof value === "object" && !(value instanceof Node) ? Object.values(value).flatMap(texts) : [];
        return texts(module.words).filter((text) => /\\p{Script=Hangul}/u.test(text));
    }"""
    assert ask("words/en", texts) == []


def written_kinds():
    """Every kind of event that a function or the program writes into the audit."""
    kinds = set()
    for path in [*ROOT.glob("sql/functions/*.sql"), *ROOT.glob("Sources/**/*.swift")]:
        text = path.read_text()
        kinds.update(f"admin_{script}" for script in re.findall(r"note_admin_change\(\s*'(\w+)',", text))
        for insert in re.finditer(r"INSERT INTO audit_events \(kind\b[^)]*\)\s+(?:VALUES \(|SELECT )([^,]*),", text):
            found = re.findall(r"'(\w+)'", insert[1])
            # The program's own events are those of an enum, and those of admins are found above.
            assert found or ".rawValue)" in insert[1], f"{path}: this test cannot read which kind is written: {insert[0]}"
            kinds.update(kind for kind in found if kind != "admin_")
        assert len(re.findall(r"INTO audit_events\b", text)) == len(re.findall(r"INTO audit_events \(kind\b", text)), path
    of_accounts = (ROOT / "Sources/Accounts/AuditEvent.swift").read_text()
    enum = re.search(r"enum Kind: String, Sendable \{(.*?)\n    \}", of_accounts, re.DOTALL)[1]
    kinds.update(quoted or name for name, quoted in re.findall(r'case (\w+)(?: = "(\w+)")?', enum))
    return sorted(kinds)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_event_of_the_audit_has_words(ask, language):
    # An account_erased names nobody, so it is in nobody's activity.
    kinds = [kind for kind in written_kinds() if kind != "account_erased"]
    assert {"registered", "signed_in", "member_left", "member_banned", "group_deleted", "email_taken_back"} <= set(kinds)
    told = ask(
        f"words/events/{language}",
        f"""{kinds}.map((kind) => [true, false].map((aboutMe) => {{
            const facts = {{ group: "G", from: "admin", to: "member", old_name: "A", new_name: "B" }};
            const more = {{ until: "U", reason: "R", answer: "A", month: "M", from_month: "M" }};
            return [module.events[kind]?.({{ aboutMe, byMe: !aboutMe, ...facts, ...more }})].flat().join("");
        }}))""",
    )
    for kind, sentences in zip(kinds, told):
        for sentence in sentences:
            assert len(sentence) > 5 and "undefined" not in sentence, f"{kind}: {sentence}"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_failure_of_a_webhook_has_words(ask, language):
    description = yaml.safe_load((ROOT / "Sources/AnthillServer/openapi.yaml").read_text())
    failures = description["components"]["schemas"]["WebhookDelivery"]["properties"]["failure"]["enum"]
    told = ask(f"words/{language}", "module.words.webhooks.failures")
    assert [*told] == [failure for failure in failures if failure] and all(len(words) > 5 for words in told.values())


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_event_of_a_group_has_words(ask, language):
    description = yaml.safe_load((ROOT / "Sources/AnthillServer/openapi.yaml").read_text())
    kinds = description["components"]["schemas"]["GroupEvent"]["properties"]["kind"]["enum"]
    told = ask(
        f"words/fairness/{language}",
        f"""{kinds}.map((kind) => {{
            const facts = {{ from: "admin", to: "member", old_name: "A", new_name: "B", host: "H" }};
            const more = {{ until: "U", reason: "R", answer: "A", month: "M", from_month: "M" }};
            return [module.fairness.events[kind]?.("somebody", "another", {{ ...facts, ...more }})].flat().join("");
        }})""",
    )
    for kind, sentence in zip(kinds, told):
        assert len(sentence) > 5 and "undefined" not in sentence, f"{kind}: {sentence}"
