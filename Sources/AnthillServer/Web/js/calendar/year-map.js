import { art, h, spoken, svg } from "../parts/dom.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { addDays, dayInFull, hm, monthTitle, periodOf } from "../words/time.js";
import { folded } from "./chart.js";
import { heat } from "./day-look.js";

const weeks = 27;
const pitch = 15;

/** A year's days as soil: the more study, the richer. */
export class YearMap {
  constructor() {
    this.title = h("strong", { "aria-live": "polite" });
    this.place = h("div", { class: "yearmap" });
    const arrow = (name, by) =>
      h(
        "button",
        { type: "button", class: "btn text icon", onclick: ({ currentTarget }) => this.turn(currentTarget, by) },
        art(`i-${name}`, "i"),
      );
    [this.back, this.forth] = [arrow("left", -1), arrow("right", 1)];
    this.root = h(
      "section",
      { class: "card", "aria-labelledby": "year" },
      h(
        "header",
        {},
        h("h2", { id: "year" }, words.calendar.yearMap),
        h("nav", { class: "months", "aria-label": words.calendar.chooseYear }, this.back, this.title, this.forth),
      ),
      this.place,
    );
  }

  turn(arrow, by) {
    if (arrow.getAttribute("aria-disabled") !== "true") this.show(this.year + by, this.today);
  }

  show(year, today) {
    Object.assign(this, { year, today });
    this.title.textContent = words.calendar.year(year);
    this.back.setAttribute("aria-label", words.calendar.before(words.calendar.year(year - 1)));
    const isLast = String(year) >= today.slice(0, 4);
    this.forth.setAttribute("aria-disabled", String(isLast));
    const following = words.calendar.after(words.calendar.year(year + 1));
    this.forth.setAttribute("aria-label", isLast ? words.calendar.notYetYear : following);
    return fill(this.place, async () => this.draw(await get(`/me/days?year=${year}`)));
  }

  draw({ year, days, totals }) {
    const of = new Map(days.map((day) => [day.day, day]));
    const all = words.calendar.inYear(words.duration(totals.study_seconds), totals.trees, totals.perfect);
    return [
      h("p", { class: "muted small" }, all),
      h(
        "div",
        { class: "halves" },
        this.half(`${year}-01-01`, `${year}-06-30`, of),
        this.half(`${year}-07-01`, `${year}-12-31`, of),
      ),
      folded(this.table(year, of)),
    ];
  }

  half(first, last, of) {
    const cells = [];
    const monday = periodOf("week", first);
    for (let start = monday, week = 0; start <= last; start = addDays(start, 7), week += 1) {
      const x = (100 / weeks) * week;
      for (let index = 0; index < 7; index += 1) {
        const day = addDays(start, index);
        if (day < first || day > last) continue;
        if (day.endsWith("-01")) {
          cells.push(svg("text", { x: `${x.toFixed(2)}%`, y: 13 }, monthTitle(day.slice(0, 7), day, "short")));
        }
        if (day > this.today) continue;
        const seconds = of.get(day)?.study_seconds ?? 0;
        cells.push(
          svg(
            "rect",
            {
              class: `y${heat(seconds)}`,
              x: `${x.toFixed(2)}%`,
              y: 20 + pitch * index,
              width: `${(100 / weeks - 0.7).toFixed(2)}%`,
              height: pitch - 3,
              rx: 3,
            },
            svg("title", {}, `${dayInFull(day)} ${hm(seconds)}`),
          ),
        );
      }
    }
    return svg("svg", { class: "heat", width: "100%", height: 20 + pitch * 7, "aria-hidden": "true" }, cells);
  }

  /** Every day of the year, months side by side. */
  table(year, of) {
    const months = Array.from({ length: 12 }, (_, index) => `${year}-${String(index + 1).padStart(2, "0")}`);
    const figure = (seconds) => spoken(hm(seconds), words.duration(seconds));
    const sum = (month) =>
      [...of.values()].filter(({ day }) => day.startsWith(month)).reduce((total, day) => total + day.study_seconds, 0);
    const row = (number) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, words.calendar.dayOfMonth(number)),
        months.map((month) => {
          const day = of.get(`${month}-${String(number).padStart(2, "0")}`);
          return h("td", {}, day?.study_seconds > 0 ? figure(day.study_seconds) : "");
        }),
      );
    const heads = months.map((month) => h("th", { scope: "col" }, monthTitle(month, month, "short")));
    return h(
      "table",
      { class: "year" },
      h("caption", { class: "vh" }, words.calendar.yearCaption(words.calendar.year(year))),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.calendar.day), heads)),
      h(
        "tbody",
        {},
        Array.from({ length: 31 }, (_, index) => row(index + 1)),
      ),
      h(
        "tfoot",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "row" }, words.calendar.sum),
          months.map((month) => h("td", {}, figure(sum(month)))),
        ),
      ),
    );
  }
}
