import { bdi, button, h, hidden } from "../parts/dom.js";
import { hue } from "../parts/hues.js";
import { words } from "../words/i18n.js";
import { playOf, tickOf, timeOf } from "./task-parts.js";
import { editTask } from "./task-sheets.js";

/** The row of a task: its tick, title, projects and time, and a button that starts the timer with it. */
export function taskRow(task, projects, user, changed) {
  const name = task.done ? h("s", {}, bdi(task.title)) : bdi(task.title);
  const title = button([name, task.done && hidden(words.tasks.isDone)], () => editTask(task, projects, changed), "title", {
    "data-key": `title-${task.id}`,
  });
  const within = projects.filter(({ id }) => task.project_ids.includes(id));
  return h(
    "li",
    {},
    tickOf(task, changed),
    h(
      "div",
      { class: "l" },
      title,
      within.length > 0 &&
        h(
          "span",
          { class: "sub" },
          within.map(({ name, colour }) => h("span", { class: "with-hue" }, hue(colour), bdi(name))),
        ),
    ),
    timeOf(task),
    !task.done && playOf(task, user),
  );
}
