import { words } from "../words/i18n.js";
import { copied } from "./copying.js";
import { button, h, icon } from "./dom.js";
import { field, input } from "./form.js";

/** A secret that is shown once, to be copied; of the class "uncopied" until then. */
export function shownOnce(name, label, value, hint) {
  const text = words.once;
  const keep = () => root.classList.remove("uncopied");
  const place = field(name, label, input({ value, readonly: true, onfocus: ({ target }) => target.select(), oncopy: keep }));
  const done = h("p", { class: "small muted", role: "status" });
  const copy = async () => {
    const isCopied = await copied(place.input);
    if (isCopied) keep();
    done.textContent = isCopied ? text.copied : text.byHand;
  };
  const press = button([icon("copy"), text.copy], copy, "btn wide");
  const root = h("div", { class: "stackup uncopied" }, h("p", {}, hint), place.root, press, done);
  return root;
}
