import { words } from "../words/i18n.js";
import { h } from "./dom.js";

/** A link to what the help says about a topic, shown where the question comes up. */
export const helpLink = (topic) =>
  h("p", { class: "small" }, h("a", { href: `/help#${topic}`, "data-key": `help-${topic}` }, words.help[topic]));
