import { h } from "./dom.js";

/** Radios in a row: `options` are [value, text, lang]; `choose(value)` at each choice. */
export const segmented = (name, label, options, chosen, choose) =>
  h(
    "div",
    { class: "seg", role: "radiogroup", "aria-label": label },
    options.map(([value, text, lang]) =>
      h(
        "label",
        { lang },
        h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => choose(value) }),
        text,
      ),
    ),
  );
