import { words } from "../words/i18n.js";
import { copied } from "./copying.js";
import { button, h, icon } from "./dom.js";
import { field } from "./form.js";

/** A text for another page, with a button that copies it. */
export function snippet(name, label) {
  const area = h("textarea", { class: "in", rows: 5, readonly: true, spellcheck: "false", onfocus: () => area.select() });
  const done = h("p", { class: "small muted", role: "status" });
  const copy = async () => {
    done.textContent = (await copied(area)) ? words.groups.copied : words.badge.copyByHand;
  };
  return {
    root: h(
      "div",
      { class: "stackup" },
      field(name, label, area).root,
      button([icon("copy"), words.badge.copy(label)], copy, "btn quiet wide"),
      done,
    ),
    write(text) {
      area.value = text;
      done.textContent = "";
    },
  };
}

const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const inMarkup = (text) => text.replace(/[&<>"]/g, (mark) => marks[mark]);

export const inMarkdown = (text) => text.replace(/[\\[\]`*_<>!&]/g, "\\$&");
