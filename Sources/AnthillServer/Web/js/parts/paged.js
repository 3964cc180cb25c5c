import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { button, h, keepingFocus, nodes } from "./dom.js";
import { said } from "./form.js";

/**
 * A list with a button for more. `load(after)` loads a page, `row(item)` makes a line, and `nothing()` is shown if the list
 * is empty.
 */
export async function paged(load, row, nothing, className = "set") {
  const list = h("ul", { class: className });
  const more = h("p");
  const add = ({ items, next }) => {
    list.append(...items.map(row));
    const grow = () => load(`&after=${encodeURIComponent(next)}`).then(add, (problem) => announce(said(problem)));
    const shown = list.children.length;
    const on = () => keepingFocus(grow, () => list.children[shown]);
    more.replaceChildren(...(next ? [button(words.more, on, "btn quiet small")] : []));
  };
  add(await load(""));
  return nodes(list.children.length > 0 ? [list, more] : nothing());
}
