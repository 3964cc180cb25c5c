import { h } from "../parts/dom.js";

/** A card of the site admins' pages: its heading takes the focus after something was done in it. */
export function card(name, title, ...tools) {
  const heading = h("h2", { id: name, tabindex: "-1" }, title);
  const place = h("div", { class: "stackup" });
  const root = h("section", { class: "card", "aria-labelledby": name }, h("header", {}, heading, tools), place);
  return { root, heading, place };
}

export const none = (said) => () => h("p", { class: "muted" }, said);
