"""What study is for: subjects, projects, tasks, and totals of them."""

import uuid

from person import expect


def made(person, kind, body):
    answer = expect(person.post(f"/me/{kind}", body), 201)
    assert answer.headers["location"] == f"/api/v1/me/{kind}/{answer.json()['id']}"
    return answer.json()["id"]


def item(person, kind, id):
    return expect(person.get(f"/me/{kind}/{id}"), 200).json()


def test_time_on_a_task_is_its_own_and_that_of_all_its_projects(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    exam, book = (made(person, "projects", {"name": name, "colour": "sky"}) for name in ("Exam", "Book"))
    both = made(person, "tasks", {"title": "Chapter 3", "estimate_seconds": 7200, "project_ids": [exam, book]})
    one = made(person, "tasks", {"title": "Mock test", "estimate_seconds": 3600, "project_ids": [exam]})

    expect(person.post("/me/timer/start", {"task_id": both}), 201)
    service.set_clock("2026-11-20T03:10:00Z")
    live = item(person, "tasks", both)["actual_seconds"]
    assert live == 600
    service.set_clock("2026-11-20T04:00:00Z")
    studied = expect(person.post("/me/timer/stop"), 200).json()["session"]
    assert studied["task_id"] == both
    logged = expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T01:30:00Z", task_id=one), 201).json()
    assert logged["task_id"] == one

    assert item(person, "tasks", both)["actual_seconds"] == studied["seconds"]
    assert item(person, "projects", book)["actual_seconds"] == studied["seconds"]
    assert item(person, "projects", exam)["actual_seconds"] == studied["seconds"] + 1800
    totals = expect(person.get("/me/totals?by=project&from=2026-11-20&to=2026-11-20"), 200).json()
    assert totals["seconds"] == studied["seconds"] + 1800
    assert {each["name"]: each["seconds"] for each in totals["items"]} == {"Exam": studied["seconds"] + 1800, "Book": studied["seconds"]}

    expect(person.patch(f"/me/tasks/{both}", {"done": True}), 200)
    for done, ids in (("true", [both]), ("false", [one])):
        assert [task["id"] for task in expect(person.get(f"/me/tasks?done={done}"), 200).json()["items"]] == ids
    assert item(person, "projects", exam)["progress"] == 0.6666
    assert item(person, "projects", book)["progress"] == 1


def test_what_time_hangs_on_is_archived_and_the_rest_goes(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    subject = made(person, "subjects", {"name": "Korean"})
    unused = made(person, "subjects", {"name": "Nothing"})
    expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z", subject_id=subject), 201)
    assert expect(person.delete(f"/me/subjects/{subject}"), 200).json()["archived"]
    expect(person.delete(f"/me/subjects/{unused}"), 204)
    assert expect(person.get("/me/subjects"), 200).json()["items"] == []
    [total] = expect(person.get("/me/totals?from=2026-11-20"), 200).json()["items"]
    assert (total["id"], total["archived"], total["seconds"]) == (subject, True, 3600)


def test_what_is_anothers_cannot_be_named(service, people):
    person, other = people(service), people(service)
    theirs = {
        kind: made(other, kind, body)
        for kind, body in (("subjects", {"name": "x"}), ("projects", {"name": "x"}), ("tasks", {"title": "x"}))
    }
    for kind, id in theirs.items():
        expect(person.get(f"/me/{kind}/{id}"), 404, "not_found")
        expect(person.patch(f"/me/{kind}/{id}", {"archived": True}), 404, "not_found")
        expect(person.delete(f"/me/{kind}/{id}"), 404, "not_found")
    for field, code, id in (("subject_id", "unknown_subject", theirs["subjects"]), ("task_id", "unknown_task", theirs["tasks"])):
        assert expect(person.post("/me/timer/start", {field: id}), 422, code).json()["field"] == field
        answer = expect(
            person.post("/me/sessions", {"started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T01:30:00Z", field: id}), 422, code
        )
        assert answer.json()["field"] == field
    expect(person.post("/me/tasks", {"title": "y", "project_ids": [theirs["projects"]]}), 422, "unknown_project")
    expect(person.get("/me/timer"), 200)


def test_a_retry_under_its_key_makes_one_task(service, people):
    person, key = people(service), uuid.uuid4()
    first = expect(person.post("/me/tasks", {"title": "Once"}, key=key), 201)
    again = expect(person.post("/me/tasks", {"title": "Once"}, key=key), 201)
    assert again.json() == first.json() and again.headers["idempotency-replayed"] == "true"
    assert len(expect(person.get("/me/tasks"), 200).json()["items"]) == 1


def test_lists_are_paged(service, people):
    person = people(service)
    ids = {made(person, "tasks", {"title": str(n)}) for n in range(7)}
    seen, after = [], ""
    while after is not None:
        page = expect(person.get(f"/me/tasks?limit=3{after and f'&after={after}'}"), 200).json()
        seen += [each["id"] for each in page["items"]]
        after = page["next"]
    assert len(seen) == 7 and set(seen) == ids


def test_a_list_says_when_nothing_changed(service, people):
    person = people(service)
    made(person, "subjects", {"name": "Korean"})
    tag = expect(person.get("/me/subjects"), 200).headers["etag"]
    assert expect(person.get("/me/subjects", headers={"If-None-Match": tag}), 304).content == b""
    made(person, "subjects", {"name": "History"})
    expect(person.get("/me/subjects", headers={"If-None-Match": tag}), 200)
