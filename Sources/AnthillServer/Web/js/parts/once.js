import { words } from "../words/i18n.js";
import { copied } from "./copying.js";
import { button, h, icon } from "./dom.js";
import { field, input } from "./form.js";

/** A secret that is shown once, to be copied. */
export function shownOnce(name, label, value, hint) {
  const text = words.once;
  const place = field(name, label, input({ value, readonly: true, onfocus: ({ target }) => target.select() }));
  const done = h("p", { class: "small muted", role: "status" });
  const copy = async () => {
    done.textContent = (await copied(place.input)) ? text.copied : text.byHand;
  };
  return h("div", { class: "stackup" }, h("p", {}, hint), place.root, button([icon("copy"), text.copy], copy, "btn wide"), done);
}
