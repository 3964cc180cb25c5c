import { bdi, button, h, icon, keepingFocus, redraw, scene, spoken } from "../js/parts/dom.js";
import { said } from "../js/parts/form.js";
import { helpLink } from "../js/parts/help-link.js";
import { bar, hue } from "../js/parts/hues.js";
import { getAll, patch } from "../js/server/api.js";
import { poll } from "../js/server/poll.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, empty, fill } from "../js/shell/notices.js";
import { taskRow } from "../js/tasks/task-list.js";
import { editLabel, editTask } from "../js/tasks/task-sheets.js";
import { totalsCard } from "../js/tasks/totals-card.js";
import { words } from "../js/words/i18n.js";
import { hm } from "../js/words/time.js";

const text = words.tasks;

memberPage({ title: text.pageTitle, current: "tasks" }, async (main, user) => {
  // A project that was just made is among the choices: the sheet opens when the page has loaded it.
  let shown = Promise.resolve();
  const newTask = async () => {
    await shown;
    editTask(null, tasks.projects, changed);
  };
  const add = button([icon("plus"), text.newTask], newTask, "btn end");
  const place = h("div");
  main.append(h("div", { class: "head" }, h("h1", {}, text.pageTitle), add), place);
  const changed = () => {
    shown = refresh().catch((problem) => announce(said(problem)));
    return shown;
  };
  const [tasks, projects, subjects, totals, archive] = [
    tasksCard(user, changed),
    labelsCard("project", projectRow, changed),
    labelsCard("subject", subjectRow, changed),
    totalsCard(),
    archiveCard(changed),
  ];
  async function refresh() {
    const [allTasks, allProjects, allSubjects] = await Promise.all([
      getAll("/me/tasks"),
      getAll("/me/projects"),
      getAll("/me/subjects"),
      totals.refresh(),
      archive.refresh(),
    ]);
    tasks.show(allTasks, allProjects);
    projects.show(allProjects);
    subjects.show(allSubjects);
  }
  await fill(place, async () => {
    await refresh();
    poll(30, refresh);
    return h(
      "div",
      { class: "lay" },
      h("div", { class: "side" }, tasks.root, totals.root),
      h("div", { class: "side" }, projects.root, subjects.root, archive.root),
    );
  });
});

/** Times in whole minutes, so that a running timer redraws once a minute. */
const shownTime = (all) => all.map((each) => ({ ...each, actual_seconds: Math.floor((each.actual_seconds ?? 0) / 60) }));

/** The tasks of one project or of all, open and done. */
function tasksCard(user, changed) {
  const filter = h("select", { class: "in", "aria-label": text.filter, onchange: () => draw() });
  const filterBox = h("div", { class: "sel filter" }, filter, icon("down"));
  const place = h("div");
  const summary = h("summary");
  const done = h("details", { class: "day", hidden: true }, summary, h("ul", { class: "todo tasks" }));
  const root = h(
    "section",
    { class: "card", "aria-labelledby": "todo" },
    h("header", {}, h("h2", { id: "todo", tabindex: "-1" }, text.todo), filterBox),
    place,
    done,
  );
  const card = { root, projects: [], tasks: [], show };

  function show(tasks, projects) {
    Object.assign(card, { tasks, projects });
    const chosen = filter.value;
    const options = [["", text.everyProject], ["none", text.noProject], ...projects.map(({ id, name }) => [id, name])];
    redraw(filter, options, () => options.map(([value, name]) => h("option", { value }, name)));
    filter.value = options.some(([value]) => value === chosen) ? chosen : "";
    filterBox.hidden = projects.length === 0;
    draw();
  }

  function draw() {
    const wanted = { "": () => true, none: ({ project_ids: ids }) => ids.length === 0 };
    const inside = wanted[filter.value] ?? (({ project_ids: ids }) => ids.includes(filter.value));
    const shown = card.tasks.filter(inside);
    const [open, finished] = [shown.filter((task) => !task.done), shown.filter((task) => task.done)];
    const rows = (tasks) => tasks.map((task) => taskRow(task, card.projects, user, changed));
    redraw(
      place,
      [shownTime(open), card.projects.map(({ id, name, colour }) => [id, name, colour]), card.tasks.length === 0],
      () => {
        if (open.length > 0) return h("ul", { class: "todo tasks" }, rows(open));
        if (card.tasks.length > 0) return h("p", { class: "muted" }, text.allDone);
        return empty(scene("empty"), text.noneTitle, text.noneText, helpLink("tasks"));
      },
    );
    done.hidden = finished.length === 0;
    summary.replaceChildren(icon("down"), text.doneCount(finished.length));
    redraw(done.lastChild, [shownTime(finished), card.projects.map(({ id, name, colour }) => [id, name, colour])], () =>
      rows(finished),
    );
  }

  return card;
}

/** The subjects or the projects, and a button to create one. */
function labelsCard(kind, row, changed) {
  const own = kind === "subject" ? text.ofSubject : text.ofProject;
  const place = h("div");
  const add = button(icon("plus"), () => editLabel(kind, null, changed), "btn quiet icon", { "aria-label": own.add });
  const root = h(
    "section",
    { class: "card", "aria-labelledby": `${kind}s` },
    h("header", {}, h("h2", { id: `${kind}s`, tabindex: "-1" }, own.title), add),
    place,
  );
  return {
    root,
    show(all) {
      redraw(place, shownTime(all), () =>
        all.length > 0
          ? h(
              "ul",
              { class: "labels" },
              all.map((item) => row(item, () => editLabel(kind, item, changed))),
            )
          : h("p", { class: "muted small" }, own.none),
      );
    },
  };
}

const named = (item, edit) =>
  button([hue(item.colour), h("span", {}, bdi(item.name))], edit, "title", { "data-key": `title-${item.id}` });

const subjectRow = (subject, edit) => h("li", {}, named(subject, edit));

function projectRow(project, edit) {
  const { progress, actual_seconds: actual, estimate_seconds: estimate, task_count: count, done_count: done } = project;
  const time = estimate > 0 ? text.ofEstimate(words.duration(actual), words.duration(estimate)) : words.duration(actual);
  return h(
    "li",
    {},
    named(project, edit),
    progress !== null && h("b", { class: "num" }, text.percent(Math.floor(progress * 100))),
    progress !== null && bar(progress),
    h(
      "span",
      { class: "sub" },
      h("span", {}, count > 0 ? text.tasksDone(done, count) : text.noTasks),
      (actual > 0 || estimate > 0) &&
        h(
          "span",
          { class: "num", "data-seconds": actual },
          spoken(estimate > 0 ? `${hm(actual)} / ${hm(estimate)}` : hm(actual), time),
        ),
    ),
  );
}

/** The archive, with buttons to restore. */
function archiveCard(changed) {
  const list = h("ul", { class: "labels" });
  const root = h("details", { class: "card day", hidden: true }, h("summary", {}, icon("down"), text.archiveTitle), list);
  const kinds = [
    ["tasks", text.task],
    ["projects", text.project],
    ["subjects", text.subject],
  ];
  const takeOut = async (path, name) => {
    try {
      await patch(path, { archived: false });
      announce(text.takenOut(name));
      await keepingFocus(changed);
    } catch (problem) {
      announce(said(problem));
    }
  };
  return {
    root,
    async refresh() {
      const pages = await Promise.all(kinds.map(([kind]) => getAll(`/me/${kind}?archived=true`)));
      const rows = pages.flatMap((items, index) =>
        items.map((item) => ({
          path: `/me/${kinds[index][0]}/${item.id}`,
          name: item.name ?? item.title,
          kind: kinds[index][1],
        })),
      );
      root.hidden = rows.length === 0;
      redraw(list, rows, () =>
        rows.map(({ path, name, kind }) =>
          h(
            "li",
            {},
            h("span", { class: "l" }, bdi(name), " ", h("span", { class: "chip" }, kind)),
            button(text.takeOut, () => takeOut(path, name), "btn quiet small", {
              "aria-label": text.takeOutLabel(name),
              "data-key": path,
            }),
          ),
        ),
      );
    },
  };
}
