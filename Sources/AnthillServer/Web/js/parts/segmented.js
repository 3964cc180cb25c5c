import { h } from "./dom.js";

/**
 * Radios in a row: `options` are [value, text, lang]; `choose(value)` at each choice. If it answers false, the choice before
 * stays.
 */
export function segmented(name, label, options, chosen, choose) {
  const radio = ([value, text, lang]) => {
    const onchange = async () => {
      if ((await choose(value)) !== false) chosen = value;
      else root.querySelector(`[value="${chosen}"]`).checked = true;
    };
    return h("label", { lang }, h("input", { type: "radio", name, value, checked: value === chosen, onchange }), text);
  };
  const root = h("div", { class: "seg", role: "radiogroup", "aria-label": label }, options.map(radio));
  return root;
}
