import { art, h } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { addDays, dayInFull, hm, monthInFull, periodOf, shift, weekdays } from "../words/time.js";
import { growthOf, heat, stampOf } from "./day-look.js";

/**
 * A month of study days. Calls `choose(day)` when a day is picked, and `turn(month, day)` when keys or a swipe lead to
 * another month (and to which of its days).
 */
export class MonthGrid {
  constructor({ choose, turn }) {
    Object.assign(this, { choose, turn });
    this.caption = h("caption", { class: "vh" });
    this.body = h("tbody");
    const short = weekdays();
    const heads = weekdays("long").map((name, index) => h("th", { scope: "col", abbr: name }, short[index]));
    const thead = h("thead", {}, h("tr", {}, heads));
    const listeners = { onkeydown: (event) => this.key(event), onclick: (event) => this.click(event) };
    this.root = h("table", { class: "cal", ...listeners }, this.caption, thead, this.body);
    swiped(this.root, (by) => this.turn(shift("month", this.month, by)));
  }

  /** Shows a month as the API returned it; the focused day keeps the focus. */
  show({ month, days }, today, chosen) {
    const key = JSON.stringify([days, today]);
    if (key !== this.shown) this.build(month, days, today);
    this.shown = key;
    this.mark(chosen);
  }

  build(month, days, today) {
    const { focused } = this;
    Object.assign(this, { month, today, days: new Map(days.map((day) => [day.day, day])) });
    this.caption.textContent = words.calendar.caption(monthInFull(month));
    const first = periodOf("week", `${month}-01`);
    const rows = [];
    for (let monday = first; monday <= days.at(-1).day; monday = addDays(monday, 7)) {
      const cells = Array.from({ length: 7 }, (_, index) => h("td", {}, this.cell(addDays(monday, index))));
      const shown = monday < days[0].day ? days[0].day : monday;
      rows.push(h("tr", { class: shown > today && "later" }, cells));
    }
    this.body.replaceChildren(...rows);
    if (focused) this.focus(focused);
  }

  /** The day that has the focus, if one has. */
  get focused() {
    return this.body.contains(document.activeElement) ? document.activeElement.dataset.day : null;
  }

  cell(day) {
    const of = this.days.get(day);
    if (!of) return null;
    const stamp = stampOf(of);
    const isFuture = day > this.today;
    const look = isFuture ? "off" : `h${heat(of.study_seconds)}`;
    const time = of.study_seconds > 0 ? hm(of.study_seconds) : of.rest ? words.calendar.rest : "";
    return h(
      "button",
      {
        type: "button",
        class: `d ${look}${day === this.today ? " today" : ""}`,
        "aria-pressed": "false",
        "aria-label": this.label(of),
        "data-day": day,
        tabindex: "-1",
      },
      h("span", { class: "n" }, String(Number(day.slice(8)))),
      stamp && [art(`stamp-${stamp}-s`, "st sm"), art(`stamp-${stamp}`, "st lg")],
      !isFuture && art(growthOf(of), "grow"),
      h("span", { class: "hm" }, time),
    );
  }

  label(of) {
    const stamp = stampOf(of);
    const { calendar } = words;
    const nothing = of.day > this.today ? calendar.notYetDay : of.day === this.today ? words.growth.rest : calendar.idle;
    const study = of.study_seconds > 0 && [words.duration(of.study_seconds), words.growth[of.growth]];
    const parts = [dayInFull(of.day), study || (!of.rest && nothing), of.rest && calendar.restDay];
    return [...parts.flat(), stamp && words.ants[stamp], of.day === this.today && calendar.today].filter(Boolean).join(", ");
  }

  /** Selects a day. It also gets the tab stop, unless the arrow keys have moved on. */
  mark(chosen) {
    const stop = this.focused ?? [chosen, this.today].find((day) => this.days.has(day)) ?? `${this.month}-01`;
    for (const button of this.body.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.day === chosen));
      button.tabIndex = button.dataset.day === stop ? 0 : -1;
    }
  }

  focus(day) {
    const found = this.body.querySelector(`[data-day="${day}"]`);
    if (!found) return;
    for (const button of this.body.querySelectorAll("button")) button.tabIndex = button === found ? 0 : -1;
    found.focus();
  }

  click({ target }) {
    const button = target.closest("button");
    if (button) this.choose(button.dataset.day);
  }

  key(event) {
    const day = event.target.dataset.day;
    if (!day || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const monday = periodOf("week", day);
    const ways = {
      ArrowLeft: () => addDays(day, -1),
      ArrowRight: () => addDays(day, 1),
      ArrowUp: () => addDays(day, -7),
      ArrowDown: () => addDays(day, 7),
      Home: () => (this.days.has(monday) ? monday : `${this.month}-01`),
      End: () => (this.days.has(addDays(monday, 6)) ? addDays(monday, 6) : [...this.days.keys()].at(-1)),
      PageUp: () => sameDay(day, -1),
      PageDown: () => sameDay(day, 1),
    };
    if (!Object.hasOwn(ways, event.key)) return;
    event.preventDefault();
    const goal = ways[event.key]();
    if (this.days.has(goal)) this.focus(goal);
    else this.turn(periodOf("month", goal), goal);
  }
}

/** The same day of another month, or that month's last day. */
function sameDay(day, by) {
  const month = shift("month", day.slice(0, 7), by);
  const last = addDays(`${shift("month", month, 1)}-01`, -1);
  const wanted = `${month}-${day.slice(8)}`;
  return wanted < last ? wanted : last;
}

/** Reports a swipe: 1 for the next, -1 for the previous. */
function swiped(element, tell) {
  let from = null;
  element.addEventListener(
    "touchstart",
    ({ touches }) => {
      from = touches.length === 1 ? touches[0] : null;
    },
    { passive: true },
  );
  element.addEventListener("touchend", ({ changedTouches: [to] }) => {
    if (!from) return;
    const [across, along] = [to.clientX - from.clientX, to.clientY - from.clientY];
    from = null;
    if (Math.abs(across) > 48 && Math.abs(across) > 2 * Math.abs(along)) tell(across < 0 ? 1 : -1);
  });
}

/** What the pictures, stamps and shades mean. */
export const legend = () =>
  h(
    "ul",
    { class: "legend", "aria-label": words.calendar.legend },
    ["seed", "sprout", "apple", "tree"].map((name) => h("li", {}, art(name, "a-20"), words.calendar.grows[name])),
    ["wake", "study", "perfect"].map((name) => h("li", {}, art(`stamp-${name}-s`, "a-20"), words.calendar.stamps[name])),
    h("li", {}, heatKey(), words.calendar.heat),
  );

const heatKey = () =>
  h(
    "span",
    { class: "heatkey", "aria-hidden": "true" },
    [0, 1, 2, 3, 4].map((step) => h("i", { class: `k${step}` })),
  );
