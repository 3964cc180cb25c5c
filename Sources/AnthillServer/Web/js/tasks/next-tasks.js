import { bdi, h } from "../parts/dom.js";
import { get } from "../server/api.js";
import { words } from "../words/i18n.js";
import { playOf, tickOf, timeOf } from "./task-parts.js";

/** The oldest tasks that are not done, on home; nothing without any. `refresh()` loads them again. */
export function nextTasks(user, changed) {
  const link = h("a", { href: "/tasks" }, words.tasks.todo);
  const list = h("ul", { class: "todo tasks" });
  const root = h(
    "section",
    { class: "card o4", "aria-labelledby": "todo", hidden: true },
    h("header", {}, h("h2", { id: "todo" }, link)),
    list,
  );
  const row = (task) =>
    h("li", {}, tickOf(task, ticked), h("div", { class: "l" }, bdi(task.title)), timeOf(task), playOf(task, user));
  const ticked = async () => {
    await changed();
    if (document.activeElement === document.body) link.focus();
  };
  let known;
  return {
    root,
    async refresh() {
      const { items } = await get("/me/tasks?done=false&limit=3");
      const drawn = JSON.stringify(items);
      if (known === drawn) return;
      known = drawn;
      const focused = list.contains(document.activeElement) && document.activeElement.dataset.key;
      root.hidden = items.length === 0;
      list.replaceChildren(...items.map(row));
      if (focused) list.querySelector(`[data-key="${focused}"]`)?.focus();
    },
  };
}
