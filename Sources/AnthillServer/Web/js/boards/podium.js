import { art, h, hidden, spoken } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { hm } from "../words/time.js";
import { name } from "./who.js";

/** The first three of a closed month on their hills: the same rank, the same height; a hidden member keeps their place. */
export function podium({ entries }, title, since) {
  const step = (entry) => {
    const tied = entries.filter(({ rank }) => rank === entry.rank).length > 1;
    return h(
      "li",
      { class: `r${entry.rank}` },
      art(`medal-${entry.rank}`, "medal"),
      hidden(words.board.ranked(entry.rank, tied)),
      h("span", { class: "name" }, name(entry)),
      h(
        "span",
        { class: "h" },
        entry.hidden ? spoken("–", words.board.untold) : spoken(hm(entry.seconds), words.duration(entry.seconds)),
      ),
      h("span", { class: "hill", "aria-hidden": "true" }),
    );
  };
  const winners = entries.slice(0, 3).filter(({ rank, seconds, hidden: hides }) => rank <= 3 && (hides || seconds > 0));
  return h(
    "section",
    { class: "soil podium", "aria-labelledby": "podium" },
    h("h2", { id: "podium" }, title),
    h("p", { class: "muted small" }, since),
    h("ol", {}, winners.map(step)),
  );
}
