"""What holds for every route."""

import re

import contract
import httpx
import pytest
import yaml
from openapi_spec_validator import validate
from person import expect, new_id
from race import bearer, in_a_row

PUBLIC = {
    "getRegistration",
    "getRegistrationCode",
    "register",
    "checkRegistration",
    "createUser",
    "listProviders",
    "getPushKey",
    "signInThroughProvider",
    "returnFromProvider",
    "getProviderTicket",
    "signIn",
    "askForPasswordReset",
    "checkPasswordReset",
    "resetPassword",
    "confirmEmailChange",
    "takeBackEmail",
    "askForEmailReminder",
    "previewInvitation",
    "getInvitationCode",
    "getBadge",
    "getPublicLeaderboard",
    "listPublicStandings",
    "getPublicStandings",
    "getDescription",
    "isAlive",
    "isReady",
}


# What is too large where more than 64 KB may be sent.
LARGER_BODIES = {"/me/sessions/batch": 2_100_000}
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


def operations():
    for path, item in contract.SPEC["paths"].items():
        for method in ("get", "post", "put", "patch", "delete"):
            if method in item:
                yield method.upper(), path, item[method]


def concrete(path):
    values = {"code": "x" * 43, "name": "x", "month": "2026-10", "day": "2026-11-20"}
    return re.sub("{([a-z_]+)}", lambda name: values.get(name[1]) or new_id(), path)


def named_twice(node):
    """The names that two members of one object share. Readers of YAML take the last, and say nothing."""
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value]
        yield from (name for name in set(names) if names.count(name) > 1)
    for member in node.value if isinstance(node, yaml.CollectionNode) else []:
        yield from named_twice(member[1] if isinstance(member, tuple) else member)


def test_nothing_is_described_twice_under_one_name():
    assert list(named_twice(yaml.compose("{a: {b: 1, c: [{d: 1, d: 2}], b: 2}}"))) == ["b", "d"]
    assert list(named_twice(yaml.compose(contract.DOCUMENT.read_text(), Loader=yaml.CSafeLoader))) == []


def without_value(node, path=""):
    """Where a member has no value: what is left of a comma in a text without quotes."""
    for name, member in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else []:
        if member is None and isinstance(node, dict):
            yield f"{path}/{name}"
        yield from without_value(member, f"{path}/{name}")


def test_every_member_of_the_description_has_a_value():
    assert list(without_value(yaml.safe_load("{a: {text: by this clock, the timer included}}"))) == ["/a/the timer included"]
    assert list(without_value(contract.SPEC)) == []


def test_the_description_is_served_and_valid(service, people):
    answer = expect(people(service, registered=False).get("/openapi.yaml"), 200)
    document = yaml.load(answer.text, Loader=yaml.CSafeLoader)
    assert document == yaml.load(service.filled(contract.DOCUMENT.read_text()), Loader=yaml.CSafeLoader) and "{{" not in answer.text
    validate(document)


def test_the_bounds_of_the_description_are_those_of_the_rules(service):
    numbers = dict(service.cluster.sql("SELECT name, value FROM rule_numbers()"))
    schemas, paths = contract.SPEC["components"]["schemas"], contract.SPEC["paths"]

    def body(method, path):
        return paths[path][method]["requestBody"]["content"]["application/json"]["schema"]["properties"]

    invitation = body("post", "/groups/{id}/invitations")
    assert invitation["uses"]["maximum"] == numbers["most_invitation_uses"]
    assert invitation["expires_in_days"]["maximum"] == numbers["most_invitation_days"]
    assert body("post", "/me/api-keys")["expires_in_days"]["maximum"] == numbers["most_api_key_days"]
    for method, path in (("post", "/groups"), ("patch", "/groups/{id}")):
        assert body(method, path)["month_goal_seconds"]["maximum"] == numbers["most_month_goal"] == numbers["most_members"] * 31 * 86_400
    plans = paths["/me/plans"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]["properties"]
    assert plans["own"]["maxItems"] == numbers["most_plans"]
    assert schemas["GroupsLeaderboardEntry"]["properties"]["member_count"]["minimum"] == numbers["fewest_compared"]
    assert schemas["MemberProfile"]["properties"]["months"]["maxItems"] == numbers["profile_months"]
    lengths = {body("patch", "/me")[name]["minimum"] for name in ("daily_goal_seconds", "default_timer_seconds")}
    lengths |= {
        schemas["WantedRules"]["properties"]["daily_cap_seconds"]["minimum"],
        schemas["StudyDay"]["properties"]["goal_seconds"]["minimum"],
    }
    for plan in (body("put", "/me/plan"), schemas["WantedPlan"]["properties"], schemas["Plan"]["properties"]):
        for length in (plan["work_seconds"], plan["rest_seconds"]):
            lengths |= {length["minimum"], 86_400 - length["maximum"]}
    goals = {name: goal["oneOf"][0] for name, goal in body("put", "/me/goals").items()}
    lengths |= {goal["minimum"] for goal in goals.values()}
    assert lengths == {numbers["shortest_length"]}
    assert goals["week_seconds"]["maximum"] == numbers["longest_week"]
    assert goals["month_seconds"]["maximum"] == numbers["longest_month"]
    amendment = body("post", "/groups/{id}/standings/{month}/amendments")
    assert amendment["seconds"]["maximum"] == numbers["longest_month"]
    hours = [f"{hour:02}:00" for hour in range(24) if re.fullmatch(schemas["TimeOfDay"]["pattern"], f"{hour:02}:00")]
    assert len(hours) == numbers["day_starts_before_hour"]
    tries = re.findall(r"tries_left: {type: integer, minimum: [01], maximum: (\d+)}", contract.DOCUMENT.read_text())
    assert set(tries) == {str(numbers["alarm_tries"])}


def test_the_public_routes_are_the_ones_that_are_meant_to_be(service):
    assert {operation["operationId"] for _, _, operation in operations() if operation.get("security") == []} == PUBLIC


@pytest.mark.parametrize(("method", "path"), [(m, p) for m, p, o in operations() if o.get("security") != []])
def test_no_route_behind_a_sign_in_opens_without_one(service, people, method, path):
    person = people(service, registered=False)
    for headers in (
        {},
        {"Authorization": "Basic eDp5"},
        {"Authorization": "Bearer"},
        {"Cookie": "anthill=abc"},
        {"Cookie": "__Host-anthill=abc", "Origin": service.origin},
    ):
        content = b"{}" if method in ("POST", "PUT", "PATCH") else None
        typed = {"Content-Type": "application/json"} if content else {}
        answer = person.ask(method, concrete(path), content=content, headers={**headers, **typed})
        assert answer.status_code in (401, 403), f"{method} {path} {headers}: {answer.status_code} {answer.text}"


@pytest.mark.parametrize(
    ("method", "path"), [(m, p) for m, p, o in operations() if o.get("requestBody", {}).get("$ref") == "#/components/requestBodies/Nothing"]
)
def test_a_body_where_none_is_wanted_has_no_fields(service, people, method, path):
    person = people(service)
    if path.startswith("/admin"):
        service.cluster.sql("SELECT make_site_admin(%s, 'the operator')", person.uid)
    if "/groups/{id}" in path:
        path = path.replace("{id}", person.found_group()["id"])
    expect(person.ask(method, concrete(path), {"nonsense": 1}), 400, "unknown_field", field="nonsense")


@pytest.mark.parametrize(
    ("method", "path"), [(m, p) for m, p, o in operations() if "application/json" in o.get("requestBody", {}).get("content", {})]
)
def test_every_body_is_one_json_object_with_known_fields(service, people, method, path):
    person = people(service, registered=path.startswith(("/me", "/groups", "/invit", "/reports", "/admin")))
    if path.startswith("/admin"):
        service.cluster.sql("SELECT make_site_admin(%s, 'the operator')", person.uid)
    if "/groups/{id}" in path:
        path = path.replace("{id}", person.found_group()["id"])
    path = concrete(path)
    json_type = {"Content-Type": "application/json"}
    for content in (
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"{}{}",
        b'{"a":1,}',
        b'{"a":"\xff"}',
        b'{"a":1,"a":1}',
        '{"a":1}'.encode("utf-16"),
        b'{"a":' + b"[" * 5000,
    ):
        answer = person.ask(method, path, content=content, headers=json_type)
        assert answer.status_code == 400, f"{content[:20]}: {answer.status_code} {answer.text}"
    expect(person.ask(method, path, content=b'{"nonsense":1}', headers=json_type), 400, "unknown_field", field="nonsense")
    expect(person.ask(method, path, content=b"a=b", headers={"Content-Type": "application/x-www-form-urlencoded"}), 415, "not_json")
    expect(person.ask(method, path, content=b"{}", headers={"Content-Type": "text/plain"}), 415, "not_json")
    big = b'{"nonsense":"' + b"x" * LARGER_BODIES.get(path, 70_000) + b'"}'
    assert person.ask(method, path, content=big, headers=json_type).status_code == 413


# A provider adds parameters of its own when it sends the browser back.
STRICT = [(method, path) for method, path, operation in operations() if operation["operationId"] != "returnFromProvider"]


@pytest.mark.parametrize(("method", "path"), STRICT)
def test_a_query_parameter_that_an_operation_does_not_list_is_refused(service, people, method, path):
    person = people(service, registered=False)
    at = "/" + path if "servers" in contract.SPEC["paths"][path] else concrete(path)
    expect(person.ask(method, at + "?nonsense=1"), 400, "unknown_parameter", field="nonsense")
    expect(person.ask(method, at + "?nonsense=1&nonsense=2"), 400, "invalid_query", field="nonsense")


def test_a_board_for_everyone_does_not_answer_today_for_another_day(service, people):
    person = people(service)
    expect(person.get("/leaderboard?as_of=2026-11-01T00:00:00Z"), 422, "no_past_board", field="as_of")
    expect(person.get("/leaderboard?order=goal"), 400, "unknown_parameter", field="order")


def test_a_page_ignores_what_others_append_to_its_link(service):
    for path in ("/", "/js/words/numbers.js", "/sign-in", "/groups/x"):
        with_query = httpx.get(f"{service.origin}{path}?utm_source=a&utm_source=b", trust_env=False)
        assert with_query.status_code == httpx.get(service.origin + path, trust_env=False).status_code


@pytest.mark.parametrize("path", sorted(contract.SPEC["paths"]))
def test_another_method_gets_405_and_the_allowed_ones(service, people, path):
    person = people(service, registered=False)
    at, url = concrete(path), "/api/v1" + concrete(path)
    if "servers" in contract.SPEC["paths"][path]:
        at, url = "/" + at, at
    known = {method for method in METHODS if method.lower() in contract.find(url)[1]}
    for method in METHODS - known:
        answer = person.ask(method, at)
        assert answer.status_code == 405, f"{method} {path}: {answer.status_code}"
        allowed = set(answer.headers["allow"].replace(" ", "").split(","))
        assert known <= allowed and method not in allowed
    answer = person.ask("OPTIONS", at)
    assert answer.status_code == 204 and known <= set(answer.headers["allow"].replace(" ", "").split(","))


@pytest.mark.parametrize("path", ["/", "/nothing", "/me/nothing", "/groups//members", "/me/", "/../healthz", "/%2e%2e/me"])
def test_what_is_not_there_is_404_as_a_problem(service, people, path):
    person = people(service)
    answer = person.get(path)
    assert answer.status_code in (404, 400), answer.text


def test_details_follow_the_language_and_codes_do_not(service, people):
    person = people(service, registered=False)
    texts = {}
    for language in ("ko", "en", "ko-KR,ko;q=0.9,en;q=0.5", "fr, en;q=0.5", "de", "*", ";;;q=x"):
        problem = expect(person.get("/me", headers={"Accept-Language": language}), 401, "not_signed_in").json()
        texts[language] = problem["detail"]
    assert texts["ko"] == texts["ko-KR,ko;q=0.9,en;q=0.5"] != texts["en"]
    assert texts["en"] == texts["fr, en;q=0.5"] == texts["de"]


def test_every_state_has_an_etag_and_answers_304(service, people):
    person = people(service)
    group = person.found_group()
    service.set_clock("2026-11-20T03:00:00Z")
    session = expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201).json()
    for path in (
        "/me",
        "/sign-ins",
        "/groups",
        f"/groups/{group['id']}",
        f"/groups/{group['id']}/members",
        "/me/sessions?from=2026-11-20&to=2026-11-20",
        f"/me/sessions/{session['id']}",
        "/openapi.yaml",
    ):
        tag = expect(person.get(path), 200).headers["etag"]
        fresh = expect(person.get(path, headers={"If-None-Match": f'"other", {tag}'}), 304)
        assert fresh.content == b"" and fresh.headers["etag"] == tag
        expect(person.get(path, headers={"If-None-Match": '"other"'}), 200)
    tag = expect(person.get("/me"), 200).headers["etag"]
    expect(person.patch("/me", {"nickname": "Somebody"}), 200)
    expect(person.get("/me", headers={"If-None-Match": tag}), 200)


def test_head_is_get_without_its_body(service, people):
    person = people(service)
    for path in ("/me", "//healthz", "/openapi.yaml"):
        get, head = person.get(path), person.ask("HEAD", path)
        assert head.status_code == get.status_code and head.content == b""
        assert head.headers["content-length"] == str(len(get.content))


def test_nothing_of_the_api_may_be_kept_by_others(service, people):
    person = people(service)
    assert "private" in expect(person.get("/me"), 200).headers["cache-control"]
    signed_in = person.http.post(f"{service.api}/sign-ins", json={"email": person.email, "password": "x"})
    assert signed_in.status_code == 401
    person.sign_in()
    answer = person.post("/sign-ins", {"email": person.email, "password": "three calm herons 42"}, token=None)
    assert answer.headers["cache-control"] == "no-store"


def test_health_and_readiness_stand_at_the_root(service, people):
    person = people(service, registered=False)
    expect(person.get("//healthz"), 200)
    expect(person.get("//readyz"), 200)


def test_the_mail_page_is_there_for_this_machine_alone(service):
    at = f"http://127.0.0.1:{service.port}/dev/mail"
    port = service.port
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", "localhost"):
        assert httpx.get(at, headers={"Host": host}, trust_env=False).status_code == 200, host
    for headers in (
        {"Host": "example.org"},
        {"Host": f"localhost.example.org:{port}"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"X-Forwarded-Host": "localhost"},
        {"X-Real-IP": "127.0.0.1"},
    ):
        assert httpx.get(at, headers=headers, trust_env=False).status_code == 404, headers


def test_one_sign_in_gets_300_requests_in_ten_seconds(service, people):
    person = people(service)
    # All but at once, so that they take no ten seconds anywhere; in the midst of them ten seconds may begin anew.
    statuses = in_a_row(service, [("GET", "/me/timer", bearer(person))] * 650)
    allowed = statuses.index(429)
    assert 290 <= allowed < 620 and set(statuses) == {200, 429}
    # If another ten seconds have begun since, 300 more are allowed first.
    refused = next(answer for _ in range(620) if (answer := person.get("/me/timer")).status_code == 429)
    expect(refused, 429, "too_many_requests")
    assert int(refused.headers["retry-after"]) <= 10
    expect(people(service, "Minsu").get("/me/timer"), 200)
