import { MonthGrid } from "../calendar/month-grid.js";
import { monthTotals } from "../calendar/month-totals.js";
import { art, bdi, button, face, h, nodes, spoken } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get } from "../server/api.js";
import { fill, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { date, hm, monthInFull, monthTitle, ownZone, shift } from "../words/time.js";

/**
 * The sheet about a member of a group: since when they are in it and, if they show that, their calendar and their closed
 * months beside the reader's.
 */
export function memberSheet(group, uid, nickname, user) {
  const place = h("div", { class: "opened" });
  sheet(bdi(nickname), place);
  fill(place, async () => {
    const path = `/groups/${group.id}/members/${uid}`;
    const member = await get(path).catch((problem) => {
      if (problem.status !== 404) throw problem;
    });
    if (!member) return h("p", {}, words.member.gone);
    if (!member.today)
      return [about(member), h("p", {}, uid === user.uid ? notMine(group) : words.member.notShown(bdi(nickname)))];
    return [about(member), await calendar(`${path}/days`, member.today), ...beside(member)];
  });
}

const about = (member) =>
  h(
    "p",
    { class: "with-face" },
    face(member, "a-64"),
    h("span", { class: "muted" }, words.groups.roles[member.role], " · ", words.member.since(date(member.joined_at, ownZone()))),
  );

/** Why the others do not see the reader's calendar. */
const notMine = (group) =>
  group.my_visibility === "shown"
    ? [words.member.notShownMine, " ", h("a", { href: "/settings" }, words.member.toSettings)]
    : words.member.hiding;

/** Their months, from the one that `today` is in back. */
async function calendar(path, today) {
  const now = today.slice(0, 7);
  const title = h("strong", { "aria-live": "polite" });
  const told = h("p", { class: "small muted", "aria-live": "polite" });
  const totals = h("div");
  const trouble = h("div");
  let [shown, wanted] = [null, null];
  const grid = new MonthGrid({
    choose: (day) => {
      grid.mark(day);
      told.textContent = grid.label(grid.days.get(day));
    },
    turn: (month, day) => turn(month).then(() => day && grid.focus(day)),
  });
  const arrow = (way, by, label) =>
    button(art(`i-${way}`, "i"), () => turn(shift("month", shown, by)), "btn text icon", { "aria-label": label });
  const [back, forth] = [arrow("left", -1, words.member.monthBefore), arrow("right", 1, words.member.monthAfter)];

  async function show(month) {
    wanted = month;
    const found = await get(`${path}?month=${month}`);
    // Another month was asked for meanwhile.
    if (wanted !== month) return;
    shown = month;
    title.textContent = monthTitle(month, now);
    forth.setAttribute("aria-disabled", String(month === now));
    told.textContent = "";
    grid.show(found, today, null);
    totals.replaceChildren(monthTotals(found, today));
  }
  async function turn(month) {
    if (month > now) return;
    trouble.replaceChildren();
    await show(month).catch((problem) =>
      trouble.replaceChildren(notice("apple", "info", null, said(problem), { role: "alert" })),
    );
  }

  await show(now);
  return h(
    "section",
    { class: "stackup", "aria-label": words.calendar.title },
    h("div", { class: "months" }, back, title, forth),
    trouble,
    grid.root,
    told,
    totals,
  );
}

/** The closed months in which both took part, side by side. */
function beside({ nickname, months }) {
  if (months.length === 0) return [];
  const more = (one, other) => months.filter((month) => month[one].seconds > month[other].seconds).length;
  const column = (name) => h("th", { scope: "col" }, name);
  const cell = ({ rank, seconds }, other) =>
    h(
      "td",
      { class: seconds > other.seconds && "more" },
      spoken(hm(seconds), words.duration(seconds)),
      h("span", { class: "xs muted" }, words.board.ranked(rank, false)),
    );
  return nodes([
    h("h3", { id: "beside" }, words.member.beside(bdi(nickname))),
    h("p", {}, words.member.ahead(more("yours", "theirs"), more("theirs", "yours"), months.length)),
    h(
      "table",
      { class: "versus", "aria-labelledby": "beside" },
      h("thead", {}, h("tr", {}, column(words.board.periods.month), column(words.board.me), column(bdi(nickname)))),
      h(
        "tbody",
        {},
        months.map(({ month, yours, theirs }) =>
          h("tr", {}, h("th", { scope: "row" }, monthInFull(month)), cell(yours, theirs), cell(theirs, yours)),
        ),
      ),
    ),
  ]);
}
