import { DayCard, lastRestDay } from "../js/calendar/day-card.js";
import { legend, MonthGrid } from "../js/calendar/month-grid.js";
import { monthTotals } from "../js/calendar/month-totals.js";
import { Rhythm } from "../js/calendar/rhythm.js";
import { YearMap } from "../js/calendar/year-map.js";
import { goalsCard } from "../js/goals/goals-card.js";
import { art, h, redraw } from "../js/parts/dom.js";
import { helpLink } from "../js/parts/help-link.js";
import { get } from "../js/server/api.js";
import { poll } from "../js/server/poll.js";
import { memberPage } from "../js/shell/frame.js";
import { fill } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";
import { monthTitle, shift } from "../js/words/time.js";

memberPage({ title: words.calendar.title, current: "calendar" }, async (main, user) => {
  const page = new CalendarPage(user);
  const place = h("div");
  main.append(place);
  await fill(place, async () => {
    await page.begin();
    return page.roots;
  });
});

class CalendarPage {
  constructor(user) {
    this.month = asked();
    this.grid = new MonthGrid({
      choose: (day) => this.choose(day),
      turn: (month, day) => this.go(month, day),
    });
    this.card = new DayCard(user, () => this.refresh());
    this.goals = goalsCard(() => this.refresh());
    this.year = new YearMap();
    this.rhythm = new Rhythm(user.study_clock);
    this.totals = h("section", { class: "card", "aria-labelledby": "totals" });
    this.title = h("strong", { "aria-live": "polite" });
    [this.back, this.forth] = ["left", "right"].map((name) =>
      h("a", { class: "btn text icon", onclick: (event) => this.follow(event) }, art(`i-${name}`, "i")),
    );
    const tools = h("nav", { class: "months", "aria-label": words.calendar.chooseMonth }, this.back, this.title, this.forth);
    this.place = h("div", {}, this.grid.root);
    this.field = h("section", { class: "side" }, this.place, legend(), helpLink("growth"));
    this.roots = [
      h("div", { class: "head line" }, h("h1", {}, words.calendar.title), tools),
      h(
        "div",
        { class: "lay" },
        this.field,
        h("aside", { class: "side", "aria-label": words.calendar.aside }, this.totals, this.goals.root, this.card.root),
      ),
      h("div", { class: "below" }, this.year.root, this.rhythm.root),
    ];
    addEventListener("popstate", () => {
      const { shownMonth } = this;
      this.month = asked();
      if (this.shownMonth !== shownMonth) this.turn();
    });
  }

  async begin() {
    this.today = await get("/me/today");
    this.chosen = this.shownMonth === this.today.day.slice(0, 7) ? this.today.day : null;
    this.present(await this.ask());
    this.year.show(Number(this.shownMonth.slice(0, 4)), this.today.day);
    this.rhythm.show(this.shownMonth);
    poll(60, () => this.refresh());
  }

  get shownMonth() {
    return this.month ?? this.today.day.slice(0, 7);
  }

  ask() {
    return get(`/me/days?month=${this.shownMonth}`);
  }

  /** Refreshes everything that a change of study may affect, except the two charts. */
  async refresh() {
    const { shownMonth: month } = this;
    const [today, days] = await Promise.all([get("/me/today"), this.ask()]);
    this.today = today;
    if (month === this.shownMonth) await this.present(days);
  }

  /** The last month for which rest days can be planned; the calendar ends with it. */
  get lastMonth() {
    return lastRestDay(this.today.day).slice(0, 7);
  }

  follow(event) {
    event.preventDefault();
    this.go(new URLSearchParams(event.currentTarget.search).get("month"));
  }

  go(month, day = null) {
    if (month === this.shownMonth || month > this.lastMonth) return;
    this.month = month;
    history.pushState(null, "", `?month=${month}`);
    this.turn(day);
  }

  /** Goes to another month, and with the keys to one of its days. */
  async turn(day = null) {
    const { shownMonth: month } = this;
    this.chosen = null;
    this.showTitle();
    await fill(this.place, async () => {
      const days = await this.ask();
      if (month === this.shownMonth) this.present(days);
      return this.grid.root;
    });
    if (month !== this.shownMonth) return;
    if (day) this.grid.focus(day);
    if (Number(month.slice(0, 4)) !== this.year.year) this.year.show(Number(month.slice(0, 4)), this.today.day);
    this.rhythm.show(month);
  }

  choose(day) {
    this.chosen = day;
    this.grid.mark(day);
    this.showDay().then(() => this.card.root.scrollIntoView({ block: "nearest" }));
  }

  present(days) {
    this.days = days;
    this.showTitle();
    this.grid.show(days, this.today.day, this.chosen);
    this.showTotals(days);
    this.goals.root.hidden = days.month !== this.today.day.slice(0, 7);
    this.goals.show(this.today);
    return this.showDay();
  }

  showDay() {
    const of = this.days.days.find(({ day }) => day === this.chosen);
    return this.card.show(of, this.today.day);
  }

  showTitle() {
    const { shownMonth: month } = this;
    const now = this.today.day.slice(0, 7);
    const name = (other) => monthTitle(other, now);
    document.title = `${name(month)} · ${words.calendar.title} · ${words.brand}`;
    redraw(this.title, name(month), () => name(month));
    this.field.setAttribute("aria-label", words.calendar.area(name(month)));
    const [previous, following] = [shift("month", month, -1), shift("month", month, 1)];
    this.back.href = `?month=${previous}`;
    this.back.setAttribute("aria-label", words.calendar.before(name(previous)));
    this.forth.href = `?month=${following}`;
    this.forth.setAttribute("aria-label", words.calendar.after(name(following)));
    this.forth.setAttribute("aria-disabled", String(following > this.lastMonth));
  }

  showTotals(days) {
    const { day, total_seconds: altogether } = this.today;
    this.totals.replaceChildren(
      h("h2", { class: "vh", id: "totals" }, words.calendar.inMonth(monthTitle(days.month, day))),
      monthTotals(days, day, altogether),
    );
  }
}

/** The month in the address, if it is valid. */
function asked() {
  const month = new URLSearchParams(location.search).get("month");
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(month ?? "") ? month : null;
}
