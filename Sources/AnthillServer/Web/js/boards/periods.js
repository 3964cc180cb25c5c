import { art, h, redraw } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { addDays, dayAndTime, dayRange, dayTitle, monthTitle, periodOf, shift, studyDay } from "../words/time.js";

/** A period's name: "11월", "11월 16일~22일", "11월 21일". */
export function periodTitle(period, at, today, length) {
  if (period === "month") return monthTitle(at, today, length);
  return period === "day" ? dayTitle(at, today, length) : dayRange(at, addDays(at, 6), today, length);
}

/**
 * Whether nothing later can be shown than the board's period. Where a group's clock moved west, hours lie between its end
 * and the next: it is still the last.
 */
export function isNow({ period, at, as_of: now, ends_at: end, rules, clock_changes: changes = [] }) {
  if (at >= periodOf(period, studyDay(now, rules))) return true;
  return changes.some(
    ({ starts_at, ends_at, counted }) => counted === "neither" && starts_at === end && Date.parse(now) < Date.parse(ends_at),
  );
}

/** Arrows to past periods, and the choice of day, week or month. Calls `go(period, at)` with the choice. */
export function periodTools(go) {
  const title = h("strong", { "aria-live": "polite" });
  const arrow = (name) => h("a", { class: "btn text icon", onclick: follow }, art(`i-${name}`, "i"));
  const [back, forth] = [arrow("left"), arrow("right")];
  const seg = h("div", { class: "seg", role: "group", "aria-label": words.board.period });
  const root = h(
    "div",
    { class: "tools" },
    h("nav", { class: "months", "aria-label": words.board.choosePeriod }, back, title, forth),
    seg,
  );
  const links = new Map(
    ["day", "week", "month"].map((period) => [period, h("a", { onclick: follow }, words.board.periods[period])]),
  );
  seg.append(...links.values());

  function follow(event) {
    const link = event.currentTarget;
    event.preventDefault();
    if (link.getAttribute("aria-disabled") === "true") return;
    const query = new URLSearchParams(link.search);
    go(query.get("period"), query.get("at"));
  }

  const lead = (link, period, at, label) => {
    link.href = `?${new URLSearchParams({ period, ...(at && { at }) })}`;
    if (label) link.setAttribute("aria-label", label);
  };

  return {
    root,
    /** Shows the period of a board. */
    show(board) {
      const { period, at } = board;
      const today = studyDay(board.as_of, board.rules);
      const isLast = isNow(board);
      const [full, short] = ["long", "short"].map((length) => periodTitle(period, at, today, length));
      redraw(title, [full, short], () => (full === short ? full : h("abbr", { title: full }, short)));
      const previous = shift(period, at, -1);
      lead(back, period, previous, words.board.before(periodTitle(period, previous, today)));
      const following = shift(period, at, 1);
      lead(forth, period, following, isLast ? words.board.notYet[period] : periodTitle(period, following, today));
      forth.setAttribute("aria-disabled", String(isLast));
      const anchor = period === "month" ? (isLast ? today : `${at}-01`) : at;
      for (const [name, link] of links) {
        lead(link, name, isLast ? null : periodOf(name, anchor));
        if (name === period) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
  };
}

/** Arrows to past months, for boards that have months only. */
export function monthTools(go) {
  const tools = periodTools(go);
  tools.root.querySelector(".seg").remove();
  return tools;
}

/** Which hours count in no month or in two, because the group's clock changes. */
export const clockChanges = ({ clock_changes: changes, rules: { time_zone: zone } }) =>
  changes.map(({ starts_at: from, ends_at: until, counted }) =>
    words.rules.clockChange(dayAndTime(from, zone), dayAndTime(until, zone), counted),
  );
