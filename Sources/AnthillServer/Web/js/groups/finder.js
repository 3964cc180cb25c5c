import { field, input } from "../parts/form.js";
import { words } from "../words/i18n.js";

/** A field in which one looks for a nickname; `find(text)` is called when what is typed has stood for a moment. */
export function finder(find) {
  let timer;
  const control = input({ type: "search", required: false, maxlength: 60, autocomplete: "off" });
  control.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => find(control.value), 300);
  });
  return field("named", words.groups.find, control).root;
}
