import { art, bdi, h, hidden, spoken } from "./dom.js";
import { words } from "./i18n.js";
import { hm } from "./time.js";

/** The first three of a month that is closed, on their hills; equal ranks stand equally high, and the place of who is hidden stays empty. */
export function podium({ entries }, title, since) {
  const step = (entry) => {
    const tied = entries.filter(({ rank }) => rank === entry.rank).length > 1;
    return h(
      "li",
      { class: `r${entry.rank}` },
      art(`medal-${entry.rank}`, "medal"),
      hidden(words.board.ranked(entry.rank, tied)),
      h("span", { class: "name" }, bdi(entry.nickname)),
      h("span", { class: "h" }, spoken(hm(entry.seconds), words.duration(entry.seconds))),
      h("span", { class: "hill", "aria-hidden": "true" }),
    );
  };
  const winners = entries.slice(0, 3).filter(({ rank, seconds }) => rank <= 3 && seconds > 0);
  return h(
    "section",
    { class: "soil podium", "aria-labelledby": "podium" },
    h("h2", { id: "podium" }, title),
    h("p", { class: "muted small" }, since),
    h("ol", {}, winners.map(step)),
  );
}
