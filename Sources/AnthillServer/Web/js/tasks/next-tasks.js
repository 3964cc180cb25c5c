import { bdi, h, redraw } from "../parts/dom.js";
import { get } from "../server/api.js";
import { words } from "../words/i18n.js";
import { playOf, tickOf, timeOf } from "./task-parts.js";

/** The oldest tasks that are not done, on home; nothing without any. `refresh()` loads them again. */
export function nextTasks(user, changed) {
  const list = h("ul", { class: "todo tasks" });
  const root = h(
    "section",
    { class: "card o4", "aria-labelledby": "todo", hidden: true },
    h("header", {}, h("h2", { id: "todo" }, h("a", { href: "/tasks" }, words.tasks.todo))),
    list,
  );
  const row = (task) =>
    h("li", {}, tickOf(task, changed), h("div", { class: "l" }, bdi(task.title)), timeOf(task), playOf(task, user));
  return {
    root,
    async refresh() {
      const { items } = await get("/me/tasks?done=false&limit=3");
      root.hidden = items.length === 0;
      redraw(list, items, () => items.map(row));
    },
  };
}
