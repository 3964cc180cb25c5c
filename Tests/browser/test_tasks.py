"""Tasks, projects and subjects: created, estimated, studied, ticked off and archived."""

import pytest
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor

MINUTE = 60


@pytest.fixture
def mina(service, chromium, clock):
    clock.set("2026-11-20T03:00:00Z")
    visitor = Visitor(service, chromium, "Mina", "en")
    visitor.have_account()
    yield visitor
    visitor.leave()


def press(visitor, name):
    visitor.page.get_by_role("button", name=name, exact=True).click()


def make_project(visitor, name, colour):
    press(visitor, "New project")
    dialog = visitor.see(visitor.page.get_by_role("dialog"))
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_role("radio", name=colour).check(force=True)
    dialog.get_by_role("button", name="New project").click()
    expect(dialog).to_have_count(0)


def make_task(visitor, title, hours="", minutes="", projects=()):
    press(visitor, "New task")
    dialog = visitor.see(visitor.page.get_by_role("dialog"))
    dialog.get_by_label("Task", exact=True).fill(title)
    dialog.get_by_label("Hours").fill(hours)
    dialog.get_by_label("Minutes").fill(minutes)
    for project in projects:
        dialog.get_by_role("checkbox", name=project).check()
    dialog.get_by_role("button", name="Add task").click()
    expect(dialog).to_have_count(0)


def row(visitor, title):
    return visitor.page.locator(".tasks > li", has_text=title)


def card(visitor, heading):
    return visitor.page.get_by_role("region", name=heading, exact=True)


def test_a_task_in_two_projects_is_studied_and_ticked_off(mina, clock, pictures):
    page = mina.page
    mina.go_home()
    page.get_by_role("link", name="Tasks", exact=True).click()
    mina.see(page.get_by_role("heading", name="No tasks yet"))
    assert examine(mina, "tasks-empty", pictures) == []
    make_project(mina, "Exam", "Apple")
    make_project(mina, "Book <i>club</i>", "Sky")
    make_task(mina, "Chapter 3", hours="1", minutes="30", projects=["Exam", "Book <i>club</i>"])
    make_task(mina, "Call the library", minutes="30", projects=["Exam"])
    expect(row(mina, "Chapter 3")).to_contain_text("0:00 / 1:30")
    expect(row(mina, "Chapter 3")).to_contain_text("Book <i>club</i>")

    # The button in the list starts the timer for the task; then the list shows the time.
    press(mina, "Study: Chapter 3")
    mina.see(mina.button("pause"))
    expect(page.get_by_role("timer")).to_contain_text("Chapter 3")
    clock.advance(40 * MINUTE)
    page.goto("/tasks")
    expect(row(mina, "Chapter 3")).to_contain_text("0:40 / 1:30")
    mina.go_home()
    mina.button("stop").click()
    mina.see(mina.button("start"))
    clock.advance(20 * MINUTE)
    page.goto("/tasks")
    expect(row(mina, "Chapter 3").locator("[data-seconds]")).to_have_attribute("data-seconds", "2400")

    # Both projects include its time; the totals say that a task may count twice.
    projects = card(mina, "Projects")
    expect(projects.locator("[data-seconds='2400']")).to_have_count(2)
    totals = card(mina, "Time studied")
    totals.get_by_role("radio", name="Project").check(force=True)
    expect(totals.locator(".bars li")).to_have_count(2)
    expect(totals.locator(".all [data-seconds]")).to_have_attribute("data-seconds", "2400")
    expect(totals).to_contain_text("counts in each of them")
    totals.get_by_role("combobox", name="When").select_option(label="Choose days")
    totals.get_by_label("First day").fill("2026-11-21")
    totals.get_by_label("Last day").fill("2026-11-21")
    expect(totals).to_contain_text("No study in this period.")
    totals.get_by_label("Last day").fill("2026-11-20")
    expect(totals.get_by_role("alert")).to_contain_text("a first day that is not after the last")
    assert examine(mina, "tasks", pictures) == []

    # Ticked off: 90 of 120 estimated minutes are done. `check` would look for the row again, which has left the list.
    row(mina, "Chapter 3").get_by_role("checkbox").click()
    expect(projects).to_contain_text("75%")
    expect(page.get_by_role("heading", name="To do")).to_be_focused()
    expect(projects).to_contain_text("1 of 2 done")
    page.get_by_text("1 done", exact=True).click()
    expect(row(mina, "Chapter 3").get_by_role("checkbox")).to_be_checked()
    row(mina, "Chapter 3").get_by_role("checkbox").click()
    expect(projects).to_contain_text("0 of 2 done")
    expect(row(mina, "Chapter 3").get_by_role("checkbox")).not_to_be_checked()


def test_a_task_with_study_time_is_archived_and_restored(mina, clock):
    page = mina.page
    page.goto("/tasks")
    make_task(mina, "Chapter 3")
    make_task(mina, "Never mind")
    press(mina, "Study: Chapter 3")
    mina.see(mina.button("pause"))
    clock.advance(10 * MINUTE)
    mina.button("stop").click()
    mina.see(mina.button("start"))
    page.goto("/tasks")
    for title, said in (("Never mind", "Deleted."), ("Chapter 3", "Archived.")):
        row(mina, title).get_by_role("button", name=title, exact=True).click()
        press(mina, "Delete")
        expect(page.get_by_role("status").filter(has_text=said)).to_have_count(1)
        expect(row(mina, title)).to_have_count(0)
        expect(page.get_by_role("heading", name="To do")).to_be_focused()
    page.locator("summary", has_text="Archive").click()
    press(mina, "Restore: Chapter 3")
    expect(row(mina, "Chapter 3")).to_contain_text("0:10")
    expect(page.locator("summary", has_text="Archive")).to_be_hidden()
    expect(page.get_by_role("main")).to_be_focused()


def test_the_whole_archive_is_shown(mina, service):
    # The service gives 200 at once.
    service.cluster.sql(
        "INSERT INTO tasks (uid, title, archived, created_at) SELECT uid, 'Task ' || n, true, anthill_clock() + n * interval '1 s'"
        " FROM user_emails JOIN generate_series(1, 201) n ON true WHERE email = %s RETURNING 1",
        mina.email,
    )
    page = mina.page
    page.goto("/tasks")
    page.locator("summary", has_text="Archive").click()
    restore = page.get_by_role("button", name="Restore: Task ")
    expect(restore).to_have_count(201)
    expect(page.get_by_role("button", name="Restore: Task 201", exact=True)).to_have_count(1)


def test_home_shows_the_oldest_tasks_that_are_not_done(mina, clock, pictures):
    page = mina.page
    mina.go_home()
    expect(card(mina, "To do")).to_have_count(0)
    for title in ("Chapter 3", "Chapter 4", "Mock test", "Words"):
        mina.ask("/me/tasks", {"title": title, "estimate_seconds": 7200})
        clock.advance(1)
    mina.go_home()
    rows = card(mina, "To do").get_by_role("listitem")
    expect(rows).to_contain_text(["Chapter 3", "Chapter 4", "Mock test"])
    expect(rows.first).to_contain_text("0:00 / 2:00")
    assert examine(mina, "home-tasks", pictures) == []
    # Its row leaves at once; `check` would look again and tick the next one.
    rows.get_by_role("checkbox", name="Done: Chapter 4").click()
    expect(rows).to_contain_text(["Chapter 3", "Mock test", "Words"])
    expect(page.get_by_role("heading", name="To do")).to_be_focused()
    mina.see(page.get_by_role("status").filter(has_text="Done."))
    press(mina, "Study: Mock test")
    mina.see(mina.button("pause"))
    expect(page.get_by_role("timer")).to_contain_text("Mock test")


def test_a_task_starts_the_timer_unless_one_is_on(mina, clock):
    page = mina.page
    mina.go_home()
    page.get_by_role("radio", name="Countdown").check(force=True)
    page.goto("/tasks")
    make_task(mina, "Chapter 3")
    make_task(mina, "Chapter 4")
    press(mina, "Study: Chapter 3")
    expect(page.get_by_role("timer")).to_have_accessible_name("Chapter 3, 0 s so far, 30 min to the goal")
    clock.advance(10 * MINUTE)

    # One timer at a time: a sheet shows the one that is on, to pause it, finish it or go to it.
    page.goto("/tasks")
    press(mina, "Study: Chapter 4")
    dialog = page.get_by_role("dialog", name="A timer is already on")
    expect(dialog).to_contain_text("Chapter 3: 10 min so far.")
    dialog.get_by_role("button", name="Take a break").click()
    mina.see(mina.button("resume"))
    page.goto("/tasks")
    press(mina, "Study: Chapter 4")
    dialog.get_by_role("link", name="Go to the timer").click()
    mina.see(mina.button("resume"))
    page.goto("/tasks")
    press(mina, "Study: Chapter 4")
    dialog.get_by_role("button", name="Finish").click()
    # The task is chosen there for the next start.
    mina.see(mina.button("start"))
    mina.see(page.get_by_role("button", name="What are you studying?: Chapter 4"))
    expect(page.locator("#today")).to_contain_text("0:10")
    page.goto("/tasks")
    press(mina, "Study: Chapter 4")
    mina.see(mina.button("pause"))


def test_a_task_says_when_the_timer_did_not_start(mina):
    page = mina.page
    page.goto("/tasks")
    make_task(mina, "Chapter 3")
    page.route("**/me/timer/start", lambda route: route.fulfill(status=500, json={"code": "internal", "detail": ""}))
    press(mina, "Study: Chapter 3")
    expect(page.get_by_role("dialog", name="The timer did not start").get_by_role("alert")).to_be_visible()
    page.unroute_all()


def test_a_start_that_is_not_answered_says_so_and_is_done_here(mina):
    page = mina.page
    page.goto("/tasks")
    make_task(mina, "Chapter 3")
    page.route("**/me/timer/start", lambda route: None)
    press(mina, "Study: Chapter 3")
    expect(page.locator(".toast")).to_have_text("Sending")
    mina.see(mina.button("pause"))
    page.unroute_all(behavior="ignoreErrors")


def test_a_task_is_studied_with_the_subject_chosen_last(mina):
    page = mina.page
    mina.ask("/me/subjects", {"name": "Chemistry"})
    mina.go_home()
    page.get_by_role("button", name="What are you studying?").click()
    page.get_by_role("dialog").get_by_label("Subject", exact=True).select_option("Chemistry")
    press(mina, "Study this")
    page.goto("/tasks")
    make_task(mina, "Chapter 3")
    press(mina, "Study: Chapter 3")
    mina.see(mina.button("pause"))
    timer = page.request.get("/api/v1/me/timer").json()
    assert None not in (timer["subject_id"], timer["task_id"])
    press(mina, "Finish")
    mina.see(mina.button("start"))
    # One that is not there is refused once.
    page.evaluate("localStorage.setItem('anthill.subject', '00000000-0000-4000-8000-000000000000')")
    page.goto("/tasks")
    press(mina, "Study: Chapter 3")
    press(mina, "Close")
    press(mina, "Study: Chapter 3")
    mina.see(mina.button("pause"))


def test_refused_tasks_show_the_error_at_its_field(mina):
    page = mina.page
    page.goto("/tasks")
    press(mina, "New task")
    dialog = mina.see(page.get_by_role("dialog"))
    dialog.get_by_label("Task", exact=True).fill("Read")
    dialog.get_by_label("Hours").fill("1000")
    dialog.get_by_label("Minutes").fill("59")
    dialog.get_by_role("button", name="Add task").click()
    expect(dialog.get_by_label("Hours")).to_have_attribute("aria-invalid", "true")
    expect(dialog.locator(".err:visible")).to_contain_text("1000 hours")
    mina.button("close").dblclick()
    press(mina, "New subject")
    dialog = mina.see(page.get_by_role("dialog"))
    dialog.get_by_label("Name").fill(" ")
    dialog.get_by_role("button", name="New subject").click()
    expect(dialog.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Name").fill("History")
    dialog.get_by_role("button", name="New subject").click()
    expect(card(mina, "Subjects").get_by_role("button", name="History")).to_be_visible()


def test_only_the_tasks_of_one_project_are_shown(mina):
    page = mina.page
    page.goto("/tasks")
    make_project(mina, "Exam", "Leaf")
    make_task(mina, "Mock test", projects=["Exam"])
    make_task(mina, "Groceries")
    choose = page.get_by_role("combobox", name="Filter by project")
    choose.select_option(label="Exam")
    expect(page.locator(".tasks > li")).to_have_count(1)
    expect(row(mina, "Mock test")).to_be_visible()
    choose.select_option(label="Tasks without a project")
    expect(row(mina, "Groceries")).to_be_visible()
    expect(row(mina, "Mock test")).to_have_count(0)
    choose.select_option(label="All tasks")
    expect(page.locator(".tasks > li")).to_have_count(2)
