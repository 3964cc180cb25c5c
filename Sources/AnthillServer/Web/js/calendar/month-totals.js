import { art, h, spoken } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { hm, monthTitle } from "../words/time.js";

/** What a month of days came to, with the current streak; `altogether` adds what was studied in all. */
export function monthTotals({ month, totals, streaks }, today, altogether = null) {
  const item = (picture, figure, label) => h("div", {}, art(picture, ""), h("dt", {}, label), h("dd", {}, figure));
  const time = (seconds) => spoken(hm(seconds), words.duration(seconds));
  const { calendar } = words;
  return h(
    "dl",
    { class: "tot" },
    item("i-clock", time(totals.study_seconds), calendar.studyIn(monthTitle(month, today))),
    item("i-flame", calendar.streak(streaks.current), calendar.longest(streaks.longest)),
    item("stamp-perfect", calendar.ants(totals.perfect), calendar.antsName(totals.perfect)),
    item("tree", calendar.trees(totals.trees), calendar.treesName(totals.trees)),
    altogether !== null && item("ant", time(altogether), calendar.altogether),
  );
}
