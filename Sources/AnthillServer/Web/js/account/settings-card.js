import { b, h, icon } from "../parts/dom.js";
import { line } from "../parts/line.js";
import { accountWords } from "../words/account/i18n.js";

/** A card of the settings page. */
export const card = (id, title, rows) =>
  h(
    "section",
    { class: "card", "aria-labelledby": id },
    h("header", {}, h("h2", { id }, title)),
    h("ul", { class: "set" }, rows),
  );

/** A line with a select that saves at once; `shown` words the options. */
export function choice(id, label, hint, offered, chosen, change, shown = (value) => value) {
  let kept = String(chosen);
  const onchange = async ({ target }) => {
    await change(target.value, () => {
      target.value = kept;
    });
    kept = target.value;
  };
  const options = [...new Set([chosen, ...offered])].sort((x, y) => (x < y ? -1 : 1));
  const all = options.map((value) => h("option", { value, selected: String(value) === kept }, shown(value)));
  const list = h("select", { class: "in", id, "aria-label": label, onchange }, all);
  return line(b(label), hint, h("div", { class: "sel" }, list, icon("down")));
}

/** The switches of a card. `more`: by name, what to add to its hint and to do when it is saved. */
export const switches = (of, user, save, sendsMail, more = {}) =>
  Object.entries(accountWords.settings.switches[of])
    .filter(([name]) => sendsMail || !name.endsWith("_mail"))
    .map(([name, [label, hint]]) => {
      const [addition, after] = more[name] ?? [];
      return toggle(user, save, name, label, addition ? [hint, addition] : hint, after);
    });

/** A line with a switch for a setting of the account; calls `after()` when saved. */
export function toggle(user, save, name, label, hint, after = () => {}) {
  const onchange = async ({ target }) => {
    const kept = await save({ [name]: target.checked }, () => {
      target.checked = user[name];
    });
    if (kept) await after();
  };
  const box = { type: "checkbox", class: "sw", role: "switch", id: name, checked: user[name], onchange };
  return line(h("label", { for: name }, b(label)), hint, h("input", box), false);
}
