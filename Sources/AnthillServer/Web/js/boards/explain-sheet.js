import { button, h, icon, nodes, spoken } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get } from "../server/api.js";
import { notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndWeekday, dayIn, dayTitle, hms, studyDay, timeOfDay } from "../words/time.js";
import { clockChanges, periodTitle } from "./periods.js";

/**
 * Explains the reader's own time on a board by days and intervals, as a receipt that adds up. For admins also that of
 * another member of the group, `{uid, nickname}`.
 */
export async function explain({ group, period, at }, whose = null) {
  const place = h("div", { class: "opened" });
  sheet(whose ? words.explain.titleOf(whose.nickname) : words.explain.title, place);
  try {
    const query = new URLSearchParams({ period, at, ...(whose && { uid: whose.uid }) });
    place.append(...receipt(await get(`${group ? `/groups/${group.id}` : ""}/leaderboard/explanation?${query}`)));
  } catch (problem) {
    place.append(notice("apple", "info", null, said(problem), { role: "alert" }));
  }
}

const exact = (seconds) => spoken(hms(seconds), words.durationExact(seconds));

function receipt(number) {
  const { rules, days, rank, seconds, cut_by_cap: cut, not_counted_seconds: left, amended_seconds: amended } = number;
  const byHand = days.reduce((sum, day) => sum + day.manual_seconds, 0);
  const timed = days.reduce((sum, day) => sum + day.seconds, 0) - byHand;
  const title = periodTitle(number.period, number.at, studyDay(number.as_of, rules));
  const line = (label, value, sign = "", className = null) =>
    h("div", { class: className }, h("dt", {}, label), h("dd", {}, sign, exact(Math.abs(value))));
  return nodes([
    h(
      "dl",
      { class: "sum card" },
      line(words.explain.timed, timed),
      line(words.explain.byHand, byHand, "+ "),
      left > 0 && line(words.explain.notCounted, left, "− "),
      cut > 0 && line(words.explain.cut(rules.daily_cap_seconds), cut, "− "),
      amended !== 0 && line(words.explain.amended, amended, amended > 0 ? "+ " : "− "),
      line(rank === null ? title : words.explain.total(title, rank), seconds, "", "total"),
    ),
    h("p", { class: "small muted" }, words.rules.inShort(rules)),
    clockChanges(number).map((text) => h("p", { class: "small muted" }, text)),
    rank === null && days.length > 0 && h("p", { class: "small" }, words.explain.unranked),
    days.length === 0
      ? h("p", {}, words.explain.nothing)
      : h(
          "section",
          { "aria-label": words.explain.days },
          days.map((day, index) => dayOf(day, rules, index < 2)),
        ),
  ]);
}

function dayOf(day, rules, open) {
  const title = dayAndWeekday(day.day);
  return h(
    "details",
    { class: "day", open },
    h(
      "summary",
      {},
      icon("down"),
      title,
      day.cut_by_cap > 0 && h("span", { class: "chip apple" }, words.explain.cutChip(hms(day.cut_by_cap))),
      h("span", { class: "t" }, exact(day.counted_seconds)),
    ),
    h(
      "table",
      { class: "parts" },
      h("caption", { class: "vh" }, words.explain.parts(title)),
      h(
        "thead",
        { class: "vh" },
        h("tr", {}, h("th", { scope: "col" }, words.sessions.when), h("th", { scope: "col" }, words.board.time)),
      ),
      h(
        "tbody",
        {},
        day.parts.map((part) => partOf(part, day, rules)),
      ),
    ),
    day.cut_by_cap > 0 && h("p", { class: "small muted" }, words.explain.capped(hms(day.seconds), hms(day.counted_seconds))),
  );
}

/** A part with its times in the board's zone, and a note if the interval continues in another study day. */
function partOf(part, day, { time_zone: zone, day_starts_at: start, manual_counts: counts }) {
  const [began, ended] = [Date.parse(part.started_at), part.ended_at && Date.parse(part.ended_at)];
  const [dawn, dusk] = [Date.parse(day.starts_at), Date.parse(day.ends_at)];
  const from = Math.max(began, dawn);
  const until = from + part.seconds * 1000;
  const notes = [
    began < dawn && words.explain.before(timeOfDay(began, zone), start, hms((dawn - began) / 1000)),
    ended > dusk && words.explain.after(start, hms((ended - dusk) / 1000)),
    dayIn(from, zone) !== dayIn(until - 1000, zone) && words.explain.midnight(dayTitle(day.day)),
  ].filter(Boolean);
  const runs = ended === null && until < dusk;
  return h(
    "tr",
    {},
    h(
      "td",
      {},
      `${timeOfDay(from, zone)} – ${runs ? words.sessions.now : timeOfDay(until, zone)}`,
      runs && h("span", { class: "live xs" }, h("span", { class: "dot" }), words.board.studying),
      part.source === "manual" && h("span", { class: "chip honey" }, words.sessions.byHand),
      part.source === "manual" && !counts && h("span", { class: "note" }, words.explain.handNotCounted),
      notes.map((text) => h("span", { class: "note" }, text)),
    ),
    h("td", { "data-seconds": part.seconds }, exact(part.seconds)),
  );
}

/** The button that opens the sheet. */
export const explainButton = (board) =>
  button([icon("info"), words.explain.title], () => explain(board), "btn quiet small wide", { "data-key": "explain" });
