import { h, scene } from "../parts/dom.js";

/** The layout around a form: a scene, a card, a heading and a line. */
export const gate = (title, lead, ...children) =>
  h(
    "section",
    { class: "gate", "aria-labelledby": "gate" },
    scene("empty", "8 22 226 91"),
    h(
      "div",
      { class: "card form" },
      h("div", {}, h("h1", { id: "gate" }, title), lead && h("p", { class: "muted" }, lead)),
      children,
    ),
  );

/** The token in the fragment of an emailed link; removes it from the address bar. */
export function tokenFromLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) history.replaceState(null, "", location.pathname);
  return token;
}
