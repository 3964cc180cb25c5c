import { recall, remember } from "../device/memory.js";
import { h, icon, nodes } from "../parts/dom.js";
import { field } from "../parts/form.js";
import { get } from "../server/api.js";
import { words } from "../words/i18n.js";
import { choices } from "./choices.js";

/**
 * Selects for a subject (the last used first) and a task. `chosen` is selected, null for nothing; otherwise what was
 * chosen here last. `value()` returns `{subject_id, task_id}`, null for nothing. `fields` are for a form; with `isShort`
 * the selects have no visible labels. Hidden if there is nothing to choose.
 */
export function subjectPicker(chosen = {}, { isShort = false } = {}) {
  const subject = part("subject", words.tasks.noSubject, chosen.subject_id, isShort);
  const task = part("task", words.tasks.noTask, chosen.task_id, isShort);
  const root = h("div", { class: isShort ? "picker short" : "picker", hidden: true }, subject.root, task.root);
  const offer = () =>
    load(subject, task, chosen)
      .then(() => {
        root.hidden = subject.root.hidden && task.root.hidden;
      })
      .catch((problem) => {
        if (!("status" in problem)) throw problem;
      });
  return {
    root,
    fields: nodes([subject.field, task.field]),
    /** Whether there is no subject to choose; false until the lists are loaded. */
    lacksSubjects: subject.lacks,
    /** Resolves when the lists are loaded. */
    ready: offer(),
    /** Loads them again. */
    offer,
    value: () => ({ subject_id: subject.value(), task_id: task.value() }),
  };
}

/** Archived items are not offered, but stay if they were chosen. */
async function load(subject, task, chosen) {
  const [subjects, tasks] = await choices();
  const todo = tasks.filter(({ done, id }) => !done || id === chosen.task_id);
  const lacks = (all, id) => id && !all.some((each) => each.id === id);
  if (lacks(subjects, chosen.subject_id)) subjects.push(await get(`/me/subjects/${chosen.subject_id}`));
  if (lacks(todo, chosen.task_id)) todo.push(await get(`/me/tasks/${chosen.task_id}`));
  subject.offer(subjects.map(({ id, name }) => [id, name]));
  task.offer(todo.map(({ id, title }) => [id, title]));
}

/** One of the lists. */
function part(name, nothing, chosen, isShort) {
  const wanted = (chosen === undefined ? recall(name) : chosen) ?? "";
  const none = h("option", { value: "" }, nothing);
  const list = h("select", { class: "in", "aria-label": isShort && words.tasks[name] }, none);
  const control = h("div", { class: "sel" }, list, icon("down"));
  const labelled = isShort ? null : field(`${name}_id`, words.tasks[name], control);
  const root = labelled?.root ?? control;
  root.hidden = true;
  let isOffered = false;
  return {
    root,
    field: labelled,
    offer(all) {
      const was = list.value || wanted;
      list.replaceChildren(none, ...all.map(([id, text]) => h("option", { value: id }, text)));
      list.value = all.some(([id]) => id === was) ? was : "";
      root.hidden = all.length === 0;
      isOffered = true;
    },
    lacks: () => isOffered && root.hidden,
    value() {
      if (!isOffered) return chosen ?? null;
      remember(name, list.value || null);
      return list.value || null;
    },
  };
}
