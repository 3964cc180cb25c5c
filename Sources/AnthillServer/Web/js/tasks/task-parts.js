import { recall, remember } from "../device/memory.js";
import { button, h, icon, keepingFocus, spoken } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { patch } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { study } from "../timer/study.js";
import { words } from "../words/i18n.js";
import { hm } from "../words/time.js";

/** The box that says whether a task is done. */
export function tickOf(task, changed) {
  const tick = h("input", {
    type: "checkbox",
    class: "tick",
    checked: task.done,
    "data-key": `tick-${task.id}`,
    "aria-label": words.tasks.doneLabel(task.title),
    onchange: () => finish(task, tick, changed),
  });
  return tick;
}

/** The button that starts the timer with a task. */
export const playOf = (task, user) =>
  button(icon("play"), () => study({ task_id: task.id }, user), "btn quiet icon", {
    "aria-label": words.tasks.studyLabel(task.title),
    "data-key": `play-${task.id}`,
  });

/** Time spent and estimated. */
export const timeOf = (task) => h("span", { class: "muted small num", "data-seconds": task.actual_seconds }, ...time(task));

function time({ actual_seconds: actual, estimate_seconds: estimate }) {
  if (estimate === null) return actual > 0 ? spoken(hm(actual), words.duration(actual)) : [];
  return spoken(`${hm(actual)} / ${hm(estimate)}`, words.tasks.ofEstimate(words.duration(actual), words.duration(estimate)));
}

async function finish(task, tick, changed) {
  try {
    await patch(`/me/tasks/${task.id}`, { done: tick.checked });
    if (tick.checked && recall("task") === task.id) remember("task", null);
    announce(tick.checked ? words.tasks.finished : words.tasks.reopened);
    await keepingFocus(changed);
  } catch (problem) {
    if (!("status" in problem)) throw problem;
    tick.checked = task.done;
    announce(said(problem));
  }
}
