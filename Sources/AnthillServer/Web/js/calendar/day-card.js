import { DayStrip } from "../goals/day-strip.js";
import { art, button, h, redraw } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { helpLink } from "../parts/help-link.js";
import { get, put, remove } from "../server/api.js";
import { sessionRows } from "../sessions/sessions.js";
import { announce, fill, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { addDays, dayInFull } from "../words/time.js";
import { growthOf, stampOf } from "./day-look.js";

const sessions = async (day) => (await get(`/me/sessions?from=${day}&to=${day}&limit=200`)).items;

/** The last day that can be planned as a rest day. */
export const lastRestDay = (today) => addDays(today, numbers.rest_days_ahead);

/** One day of the calendar: what it earned, its sessions, and whether it is a planned rest day. */
export class DayCard {
  constructor(user, changed) {
    Object.assign(this, { user, changed });
    this.head = h("div", { class: "head" });
    this.list = h("div");
    this.strip = new DayStrip("h3");
    this.rest = button("", () => this.plan(), "btn quiet small");
    this.message = h("div");
    const hint = h("p", { class: "xs muted" }, words.calendar.restHint);
    this.planning = h("div", { class: "planning" }, this.rest, hint, helpLink("streak"), this.message);
    this.root = h(
      "section",
      { class: "card daycard", "aria-labelledby": "day", hidden: true },
      this.head,
      this.list,
      this.strip.root,
      this.planning,
    );
  }

  /** Shows a day as the API returned it, or none. */
  async show(of, today) {
    this.root.hidden = !of;
    if (!of) {
      this.of = null;
      return;
    }
    const another = this.of?.day !== of.day;
    this.of = of;
    const isFuture = of.day > today;
    // A day that was chosen is read aloud, not the minutes that the timer adds to it.
    this.head.setAttribute("aria-live", another ? "polite" : "off");
    this.showHead(of, isFuture, of.day === today);
    this.planning.hidden = of.day < today || of.day > lastRestDay(today);
    this.rest.replaceChildren(of.rest ? words.calendar.unplanRest : words.calendar.planRest);
    if (another) {
      this.message.replaceChildren();
      this.list.drawn = null;
    }
    this.strip.root.hidden = of.study_seconds === 0;
    if (of.study_seconds > 0) this.strip.show(of.day).catch(() => {});
    if (isFuture) this.list.replaceChildren();
    else if (another) await fill(this.list, async () => this.table(of.day, await sessions(of.day)));
    else {
      const items = await sessions(of.day);
      if (this.of === of) redraw(this.list, items, () => this.table(of.day, items));
    }
  }

  showHead(of, isFuture, isToday) {
    const key = JSON.stringify([of, isFuture]);
    if (this.shown === key) return;
    this.shown = key;
    const stamp = stampOf(of);
    const picture = stamp ? art(`stamp-${stamp}`, "st a-64", words.ants[stamp]) : art(growthOf(of), "a-64");
    const study = of.study_seconds > 0 && words.duration(of.study_seconds);
    const nothing = isFuture ? words.calendar.notYetDay : isToday ? words.growth.rest : words.calendar.idle;
    const goal = of.study ? words.calendar.goalMet : words.calendar.goal;
    const parts = [
      study || (!of.rest && nothing),
      of.rest && words.calendar.restDay,
      of.study_seconds > 0 && goal(words.duration(of.goal_seconds)),
    ];
    const title = h("h2", { id: "day" }, dayInFull(of.day));
    const text = h("p", { class: "muted small" }, parts.filter(Boolean).join(" · "));
    this.head.replaceChildren(picture, h("div", {}, title, text));
  }

  table(day, items) {
    if (items.length === 0) return h("p", { class: "muted small" }, words.calendar.noSessions);
    const heads = [words.sessions.when, words.board.time].map((label) => h("th", { scope: "col" }, label));
    return h(
      "table",
      { class: "parts" },
      h("caption", { class: "vh" }, words.calendar.sessions(dayInFull(day))),
      h("thead", { class: "vh" }, h("tr", {}, heads)),
      h("tbody", {}, sessionRows(items, day, this.user, this.changed)),
    );
  }

  /** Plans the day as a rest day, or cancels that. */
  async plan() {
    const { day, rest } = this.of;
    this.message.replaceChildren();
    try {
      await (rest ? remove(`/me/rest-days/${day}`) : put(`/me/rest-days/${day}`, {}));
      announce(rest ? words.calendar.restUnplanned : words.calendar.restPlanned);
      await this.changed();
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      this.message.replaceChildren(notice("apple", "info", null, said(problem), { role: "alert" }));
    }
  }
}
