import { art, b, h, hidden, icon } from "../parts/dom.js";
import { get } from "../server/api.js";
import { words } from "../words/i18n.js";
import { addDays, periodOf, weekdays } from "../words/time.js";
import { growthOf } from "./day-look.js";

/** The card with the streak, this week, and the month's trees and perfect ants. */
export function todayCard() {
  const root = h("section", { class: "card o4", "aria-labelledby": "streak" });
  const row = h("ul", { class: "week", "aria-label": words.today.week });
  const named = weekdays();
  let known = null;
  let before = null;
  return {
    root,
    /** Shows what `GET /me/today` returned, and loads the week's other days if they may have changed. */
    async show(today) {
      const { day, study_seconds: seconds, total_seconds: total, rest } = today;
      const monday = periodOf("week", day);
      const key = JSON.stringify([day, total - seconds, rest]);
      if (key !== known) before = await week(monday, day);
      known = key;
      row.replaceChildren(...named.map((name, index) => dayOfWeek(before.get(addDays(monday, index)), today, name)));
      root.replaceChildren(head(today), row, foot(today));
    },
  };
}

/** The days of a week, which may lie in two months. */
async function week(monday, today) {
  const months = new Set([monday, today].map((day) => day.slice(0, 7)));
  const answers = await Promise.all(
    [...months].map((month) => get(today.startsWith(month) ? "/me/days" : `/me/days?month=${month}`)),
  );
  return new Map(answers.flatMap(({ days }) => days).map((day) => [day.day, day]));
}

function dayOfWeek(day, today, name) {
  const isToday = day?.day === today.day;
  const isFuture = !day || day.day > today.day;
  const growth = isFuture ? "rest" : growthOf(isToday ? today : day);
  const label = isFuture ? words.today.later : growth === "rest" && !isToday ? words.calendar.idle : words.growth[growth];
  return h(
    "li",
    { class: isToday && "today" },
    art(growth, "", day?.rest ? words.calendar.restDay : label),
    name,
    isToday && hidden(` ${words.calendar.today}`),
  );
}

function head({ streaks: { current, longest }, ants, rest }) {
  const state = ants.study ? words.today.met : rest ? words.calendar.restDay : words.today.open(current);
  return h(
    "div",
    { class: "head" },
    h(
      "div",
      { class: "streak" },
      art("i-flame", "i"),
      h(
        "div",
        {},
        h("h2", { class: "vh", id: "streak" }, words.today.streakTitle),
        current > 0
          ? [b(words.today.streak(current)), " · ", h("span", { class: "muted small" }, state)]
          : [h("p", {}, words.today.noStreak), h("p", { class: "muted small" }, state)],
      ),
    ),
    longest > 0 && h("span", { class: "end small muted" }, words.today.longest(longest)),
  );
}

function foot({ month: { trees, perfect }, total_seconds: total }) {
  return h(
    "ul",
    { class: "facts earned" },
    h("li", {}, art("tree", "a-20"), words.today.trees(trees)),
    h("li", {}, art("stamp-perfect-s", "a-20"), words.today.perfect(perfect)),
    h("li", {}, icon("clock"), words.today.total(words.duration(total))),
  );
}
