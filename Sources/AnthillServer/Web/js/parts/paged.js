import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { button, h, nodes } from "./dom.js";
import { said } from "./form.js";

/**
 * A list that goes on at a button. `load(after)` has a page by the rest of its query, `row(item)` the line of each, and
 * `nothing()` what stands there instead when there is none.
 */
export async function paged(load, row, nothing, className = "set") {
  const list = h("ul", { class: className });
  const more = h("p");
  const add = ({ items, next }) => {
    list.append(...items.map(row));
    const on = () => load(`&after=${encodeURIComponent(next)}`).then(add, (problem) => announce(said(problem)));
    more.replaceChildren(...(next ? [button(words.more, on, "btn quiet small")] : []));
  };
  add(await load(""));
  return nodes(list.children.length > 0 ? [list, more] : nothing());
}
