import { recall, remember } from "../device/memory.js";
import { bdi, button, h, hidden, icon, spoken } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { hue } from "../parts/hues.js";
import { patch } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { studyTask } from "../timer/study-task.js";
import { words } from "../words/i18n.js";
import { hm } from "../words/time.js";
import { editTask } from "./task-sheets.js";

/** The row of a task: its tick, title, projects and time, and a button that starts the timer with it. */
export function taskRow(task, projects, user, changed) {
  const tick = h("input", {
    type: "checkbox",
    class: "tick",
    checked: task.done,
    "data-key": `tick-${task.id}`,
    "aria-label": words.tasks.doneLabel(task.title),
    onchange: () => finish(task, tick, changed),
  });
  const name = task.done ? h("s", {}, bdi(task.title)) : bdi(task.title);
  const title = button([name, task.done && hidden(words.tasks.isDone)], () => editTask(task, projects, changed), "title", {
    "data-key": `title-${task.id}`,
  });
  const within = projects.filter(({ id }) => task.project_ids.includes(id));
  const play = button(icon("play"), () => studyTask(task, user), "btn quiet icon", {
    "aria-label": words.tasks.studyLabel(task.title),
    "data-key": `play-${task.id}`,
  });
  return h(
    "li",
    {},
    tick,
    h(
      "div",
      { class: "l" },
      title,
      within.length > 0 &&
        h(
          "span",
          { class: "sub" },
          within.map(({ name, colour }) => h("span", { class: "in-project" }, hue(colour), bdi(name))),
        ),
    ),
    h("span", { class: "muted small num", "data-seconds": task.actual_seconds }, ...time(task)),
    !task.done && play,
  );
}

/** Time spent and estimated. */
function time({ actual_seconds: actual, estimate_seconds: estimate }) {
  if (estimate === null) return actual > 0 ? spoken(hm(actual), words.duration(actual)) : [];
  return spoken(`${hm(actual)} / ${hm(estimate)}`, words.tasks.ofEstimate(words.duration(actual), words.duration(estimate)));
}

async function finish(task, tick, changed) {
  try {
    await patch(`/me/tasks/${task.id}`, { done: tick.checked });
    if (tick.checked && recall("task") === task.id) remember("task", null);
    announce(tick.checked ? words.tasks.finished : words.tasks.reopened);
    changed();
  } catch (problem) {
    if (!("status" in problem)) throw problem;
    tick.checked = task.done;
    announce(said(problem));
  }
}
