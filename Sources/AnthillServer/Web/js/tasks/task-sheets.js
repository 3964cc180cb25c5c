import { bdi, button, h, keepingFocus } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { hue, huePicker } from "../parts/hues.js";
import { sheet } from "../parts/sheet.js";
import { patch, post, remove } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";

/** The sheet to add or edit a task; then calls `changed()`. */
export function editTask(task, projects, changed) {
  const text = words.tasks;
  const title = field("title", text.title, input({ maxlength: 200, autocomplete: "off", value: task?.title ?? "" }));
  const estimate = task?.estimate_seconds ?? null;
  const number = (value, max) =>
    input({ type: "number", min: 0, max, step: 1, inputmode: "numeric", required: false, value: value ?? "" });
  const hours = field("estimate_seconds", text.hours, number(estimate && Math.floor(estimate / 3600), 1000));
  const minutes = field("minutes", text.minutes, number(estimate && Math.floor(estimate / 60) % 60, 59));
  const picks = projects.map((project) => {
    const box = h("input", { type: "checkbox", value: project.id, checked: task?.project_ids.includes(project.id) });
    return { box, label: h("label", {}, box, hue(project.colour), h("span", {}, bdi(project.name))) };
  });
  const kept = (task?.project_ids ?? []).filter((id) => !projects.some((project) => project.id === id));

  const save = async () => {
    const seconds = Number(hours.input.value) * 3600 + Number(minutes.input.value) * 60;
    const chosen = picks.filter(({ box }) => box.checked).map(({ box }) => box.value);
    const body = { title: title.input.value, estimate_seconds: seconds || null, project_ids: [...kept, ...chosen] };
    await (task ? patch(`/me/tasks/${task.id}`, body) : post("/me/tasks", body));
    close();
    announce(text.saved);
    changed();
  };

  const all = form([title, hours, minutes], task ? words.save : text.addTask, save);
  const time = h(
    "fieldset",
    { class: "field" },
    h("legend", {}, text.estimate),
    h("div", { class: "pair" }, hours.root, minutes.root),
  );
  const inProjects = h(
    "fieldset",
    { class: "field" },
    h("legend", {}, text.inProjects),
    h(
      "div",
      { class: "picks" },
      picks.map(({ label }) => label),
    ),
  );
  title.root.after(time, picks.length > 0 ? inProjects : "");
  const ending = task && endings(`/me/tasks/${task.id}`, () => close(), changed);
  const close = sheet(task ? text.editTask : text.newTask, all, ending);
}

/** The sheet of a subject or a project: `kind` is "subject" or "project", `item` null for a new one. */
export function editLabel(kind, item, changed) {
  const text = words.tasks[kind === "subject" ? "ofSubject" : "ofProject"];
  const list = `/me/${kind}s`;
  const name = field("name", words.tasks.name, input({ maxlength: 60, autocomplete: "off", value: item?.name ?? "" }));
  const colour = huePicker(item?.colour);
  const save = async ({ name }) => {
    const body = { name, colour: colour.value() };
    await (item ? patch(`${list}/${item.id}`, body) : post(list, body));
    close();
    announce(words.tasks.saved);
    changed();
  };
  const ending = item && endings(`${list}/${item.id}`, () => close(), changed);
  const all = form([name], item ? words.save : text.add, save, { extra: [colour.root] });
  const close = sheet(item ? text.edit : text.add, all, ending);
}

/** Archive or delete. Items with study time are archived either way. */
function endings(path, close, changed) {
  const place = h("div", { role: "alert" });
  const end = async (act, spoken) => {
    try {
      const kept = await act();
      close();
      announce(kept?.archived ? words.tasks.archivedNow : spoken);
      await keepingFocus(changed);
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      place.replaceChildren(notice("apple", "info", null, said(problem)));
    }
  };
  const archive = () => end(() => patch(path, { archived: true }), words.tasks.archivedNow);
  const erase = () => end(() => remove(path), words.tasks.removed);
  return h(
    "div",
    { class: "endings" },
    h("p", { class: "small muted" }, words.tasks.endingHint),
    h(
      "div",
      { class: "btns" },
      button(words.tasks.archive, archive, "btn quiet small"),
      button(words.tasks.remove, erase, "btn danger small"),
    ),
    place,
  );
}
