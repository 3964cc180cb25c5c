import { h, hidden, icon } from "../parts/dom.js";
import { get } from "../server/api.js";
import { words } from "../words/i18n.js";
import { addDays, dayInFull, hm, monthInFull, periodOf, weekdays } from "../words/time.js";

/** The card with the days of a month that a group studied together. `show(month)` loads one. */
export function groupMonth(group) {
  const root = h("section", { class: "card together", "aria-labelledby": "together", hidden: true });
  let wanted;
  const show = async (month) => {
    wanted = month;
    const found = await get(`/groups/${group.id}/days?month=${month}`);
    // Another month was asked for meanwhile.
    if (wanted !== month) return;
    const title = h("h2", { id: "together" }, words.room.together(monthInFull(month)));
    // A past month's sum is not that of its board once that was amended.
    const isCurrent = found.today.startsWith(month);
    const sum = isCurrent && h("span", { class: "small muted" }, words.duration(found.seconds));
    root.replaceChildren(h("header", {}, title, sum), grid(found));
    root.hidden = false;
  };
  return { root, show };
}

function grid({ month, days, today }) {
  const most = Math.max(1, ...days.map(({ seconds }) => seconds));
  const of = new Map(days.map((day) => [day.day, day]));
  const short = weekdays();
  const heads = weekdays("long").map((name, index) => h("th", { scope: "col", abbr: name }, short[index]));
  const rows = [];
  for (let monday = periodOf("week", `${month}-01`); monday <= days.at(-1).day; monday = addDays(monday, 7)) {
    const week = Array.from({ length: 7 }, (_, index) => of.get(addDays(monday, index)));
    rows.push(
      h(
        "tr",
        {},
        week.map((day) => h("td", {}, day && cell(day, today, most))),
      ),
    );
  }
  const caption = h("caption", { class: "vh" }, words.room.together(monthInFull(month)));
  return h("table", { class: "cal" }, caption, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows));
}

/** A day: the darker, the more of the month's best day. */
function cell({ day, seconds, people }, today, most) {
  const isFuture = day > today;
  const look = isFuture ? "off" : `h${Math.ceil((4 * seconds) / most)}`;
  return h(
    "div",
    { class: `d ${look}${day === today ? " today" : ""}` },
    h("span", { class: "n", "aria-hidden": "true" }, String(Number(day.slice(8)))),
    hidden(dayInFull(day)),
    !isFuture && [
      h("span", { class: "hm", "aria-hidden": "true" }, seconds > 0 ? hm(seconds) : "–"),
      seconds > 0 && h("span", { class: "people", "aria-hidden": "true" }, icon("people"), String(people)),
      hidden(seconds > 0 ? words.room.dayInWords(words.duration(seconds), people) : words.room.idleDay),
    ],
  );
}
