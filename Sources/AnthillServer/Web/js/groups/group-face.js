import { bdi, h } from "../parts/dom.js";

const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A group's emoji, or the first letter of its name, in a ring of its colour. */
export function groupFace({ name, colour, emoji }) {
  const [first] = letters.segment(emoji ?? name);
  return h(
    "span",
    { class: `face sign hue-${colour}${emoji ? " pictured" : ""}`, "aria-hidden": "true" },
    h("span", {}, first?.segment ?? ""),
  );
}

/** A group's emoji and name. */
export const groupName = (group) => [groupFace(group), " ", bdi(group.name)];
