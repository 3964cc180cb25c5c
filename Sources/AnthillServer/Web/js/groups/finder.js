import { field, input } from "../parts/form.js";
import { words } from "../words/i18n.js";

/** A field to search for a nickname; calls `find(text)` shortly after the last key. */
export function finder(find) {
  let timer;
  const control = input({ type: "search", required: false, maxlength: 60, autocomplete: "off" });
  control.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => find(control.value), 300);
  });
  return field("named", words.groups.find, control).root;
}
