import { words } from "../words/i18n.js";
import { h, svg } from "./dom.js";

const hues = ["leaf", "honey", "apple", "soil", "sky", "plum", "stone", "moss"];

/** A pebble in a colour; without one, only its outline. */
export const hue = (colour) =>
  svg(
    "svg",
    { class: `hue hue-${colour ?? "none"}`, viewBox: "0 0 14 14", "aria-hidden": "true" },
    svg("ellipse", { cx: 7, cy: 7, rx: 6, ry: 5.4 }),
  );

/** The eight colours to choose from, by picture and by name. `value()` is the chosen one. */
export function huePicker(chosen = "leaf") {
  const radios = hues.map((name) => h("input", { type: "radio", name: "colour", value: name, checked: name === chosen }));
  return {
    root: h(
      "fieldset",
      { class: "field" },
      h("legend", {}, words.colour),
      h(
        "div",
        { class: "hues" },
        radios.map((radio, index) => h("label", {}, radio, hue(hues[index]), words.colours[hues[index]])),
      ),
    ),
    value: () => radios.find(({ checked }) => checked)?.value,
  };
}

/** A bar as long as a share of the whole; decorative, the figures stand beside it. */
export const bar = (share) =>
  svg(
    "svg",
    { class: "tunnel", "aria-hidden": "true" },
    svg("line", { class: "bg", x1: 0, x2: "100%", y1: 3, y2: 3 }),
    share > 0 && svg("line", { class: "t", x1: 0, x2: `${Math.min(100, Math.max(1, share * 100)).toFixed(1)}%`, y1: 3, y2: 3 }),
  );
