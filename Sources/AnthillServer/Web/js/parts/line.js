import { h } from "./dom.js";

/** A line of a list of settings: what it is about, and the control that changes it. */
export const line = (label, hint, control, wide = true) =>
  h(
    "li",
    {},
    h("div", { class: "l" }, label, hint && h("span", { class: "hint" }, hint)),
    h("div", { class: wide ? "c wide" : "c" }, control),
  );
