import { h, spoken } from "../parts/dom.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { addDays, hm, monthInFull, shift, weekdays } from "../words/time.js";
import { bars, folded } from "./chart.js";

const names = weekdays();
const inFull = weekdays("long");

/** Study by day of the week and by hour, in the shown month or its year. */
export class Rhythm {
  constructor({ day_starts_at: dawn }) {
    this.dawn = Number(dawn.slice(0, 2));
    this.place = h("div", { class: "charts" });
    this.range = "month";
    const choice = (value) =>
      h(
        "label",
        {},
        h("input", { type: "radio", name: "range", value, checked: value === this.range, onchange: () => this.choose(value) }),
        words.calendar.ranges[value],
      );
    const choices = h(
      "div",
      { class: "seg", role: "radiogroup", "aria-label": words.calendar.range },
      choice("month"),
      choice("year"),
    );
    this.root = h(
      "section",
      { class: "card", "aria-labelledby": "rhythm" },
      h("header", {}, h("h2", { id: "rhythm" }, words.calendar.rhythm), choices),
      this.place,
    );
  }

  choose(range) {
    this.range = range;
    return this.show(this.month);
  }

  show(month) {
    this.month = month;
    return fill(this.place, () => this.build());
  }

  async build() {
    const { month } = this;
    const year = month.slice(0, 4);
    const [from, to, period] =
      this.range === "month"
        ? [`${month}-01`, addDays(`${shift("month", month, 1)}-01`, -1), monthInFull(month)]
        : [`${year}-01-01`, `${year}-12-31`, words.calendar.year(year)];
    const { weekdays: ofWeek, hours: ofDay } = await get(`/me/rhythm?from=${from}&to=${to}`);
    const days = ofWeek.map(({ weekday, seconds }) => ({ seconds, label: inFull[weekday - 1], shown: names[weekday - 1] }));
    const hours = ofDay
      .map(({ hour, seconds }) => ({
        hour,
        seconds,
        label: words.calendar.hour(hour),
        shown: hour % 3 === 0 ? String(hour) : "",
      }))
      .sort((x, y) => this.sinceDawn(x) - this.sinceDawn(y));
    return [
      this.chart(words.calendar.perWeekday, period, days, "weekday", words.calendar.weekday),
      this.chart(words.calendar.perHour, period, hours, "hour", words.calendar.hourOfDay),
    ];
  }

  /** Hours since the study day began, to sort by. */
  sinceDawn({ hour }) {
    return (hour + 24 - this.dawn) % 24;
  }

  chart(title, period, items, kind, column) {
    const [most] = [...items].sort((x, y) => y.seconds - x.seconds);
    const text = most.seconds > 0 ? words.calendar.most[kind](most.label, words.duration(most.seconds)) : words.calendar.noStudy;
    const row = ({ label, seconds }) =>
      h("tr", {}, h("th", { scope: "row" }, label), h("td", {}, spoken(hm(seconds), words.duration(seconds))));
    const table = h(
      "table",
      { class: "parts" },
      h("caption", { class: "vh" }, `${period}, ${title}`),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          [column, words.board.time].map((label) => h("th", { scope: "col" }, label)),
        ),
      ),
      h("tbody", {}, items.map(row)),
    );
    return h(
      "figure",
      {},
      h("figcaption", {}, h("h3", {}, title), h("p", { class: "small muted" }, text)),
      bars(items, `${title}. ${text}`, kind === "weekday"),
      folded(table),
    );
  }
}
