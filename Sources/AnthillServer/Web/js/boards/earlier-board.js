import { face, h, spoken } from "../parts/dom.js";
import { field, form, input, timeInput } from "../parts/form.js";
import { paged } from "../parts/paged.js";
import { sheet } from "../parts/sheet.js";
import { get } from "../server/api.js";
import { words } from "../words/i18n.js";
import { dayAndTime, dayIn, hm, instantAt, rfc3339, studyDay, timeOfDay } from "../words/time.js";
import { orderOf } from "./orders.js";
import { periodTitle } from "./periods.js";
import { name } from "./who.js";

/** The sheet with a group's board as it stood at a chosen time, by the board's clock. */
export function earlierBoard(group, { period, at, order, rules, as_of: now }) {
  const zone = rules.time_zone;
  const day = field("day", words.earlier.day, input({ type: "date", value: dayIn(now, zone) }));
  const time = field("as_of", words.earlier.time(zone), timeInput({ value: timeOfDay(now, zone) }));
  const known = h("p", { role: "status" });
  const rows = h("div", { class: "opened" });

  const show = async (chosen) => {
    const instant = rfc3339(instantAt(chosen.day, chosen.as_of, zone));
    const query = new URLSearchParams({ period, at, order, as_of: instant, limit: 50 });
    let board;
    const load = async (after) => {
      board = await get(`/groups/${group.id}/leaderboard?${query}${after}`);
      return { items: board.entries, next: board.next };
    };
    const nobody = () => h("p", { class: "muted" }, words.earlier.nobody);
    const list = await paged(load, (entry) => row(entry, board), nobody, "set people");
    const title = periodTitle(period, at, studyDay(now, rules));
    known.textContent = words.earlier.known(title, dayAndTime(instant, zone), board.participants);
    rows.replaceChildren(...list);
  };
  sheet(
    words.earlier.title,
    h("p", { class: "muted" }, words.earlier.about),
    form([day, time], words.earlier.show, show),
    h("div", {}, known, rows),
  );
}

function row(entry, board) {
  const { score, shown, said } = orderOf(board);
  return h(
    "li",
    {},
    face(entry),
    h(
      "div",
      { class: "l" },
      h("span", { class: "nick" }, name(entry)),
      h(
        "span",
        { class: "hint" },
        words.board.ranked(entry.rank, false),
        !entry.hidden && [
          " · ",
          board.order !== "seconds" && [spoken(shown(score(entry)), said(score(entry))), " · "],
          spoken(hm(entry.seconds), words.duration(entry.seconds)),
        ],
      ),
    ),
  );
}
