import { bdi, button, face, h, icon, spoken } from "../parts/dom.js";
import { sheet } from "../parts/sheet.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { hm, monthInFull } from "../words/time.js";
import { earlierBoard } from "./earlier-board.js";
import { ownRanks } from "./own-ranks.js";

/** The link to the shown board as a table; `show(board)` points it there. */
export function tableLink(group) {
  const root = h("a", { class: "btn text small", download: true }, icon("download"), words.fame.csv);
  return {
    root,
    show({ period, at, order }) {
      root.href = `/api/v1/groups/${group.id}/leaderboard.csv?${new URLSearchParams({ period, at, order })}`;
    },
  };
}

/**
 * The card with links into the past: who won the closed months, the reader's own ranks, and the board that `shown()`
 * returns as it stood at an earlier time.
 */
export const pastCard = (group, shown, table) =>
  h(
    "section",
    { class: "card", "aria-labelledby": "past" },
    h("header", {}, h("h2", { id: "past" }, words.fame.past)),
    h(
      "div",
      { class: "stackup" },
      button([icon("flame"), words.fame.title], () => hall(group), "btn text small wide"),
      button([icon("calendar"), words.fame.mine], () => ownRanks(group), "btn text small wide"),
      button([icon("clock"), words.earlier.title], () => earlierBoard(group, shown()), "btn text small wide"),
      table,
    ),
  );

function hall(group) {
  const place = h("div");
  sheet(words.fame.title, place);
  fill(place, async () => {
    const { items } = await get(`/groups/${group.id}/hall-of-fame`);
    if (items.length === 0) return h("p", { class: "muted" }, words.fame.none);
    return h(
      "ol",
      { class: "set people fame" },
      items.map((one) =>
        h(
          "li",
          {},
          face(one),
          h(
            "div",
            { class: "l" },
            h("span", { class: "nick" }, bdi(one.nickname)),
            h("span", { class: "hint" }, words.fame.counts(one.firsts, one.podiums, one.months)),
            h(
              "span",
              { class: "hint" },
              words.fame.best(monthInFull(one.best_month)),
              " ",
              spoken(hm(one.best_seconds), words.duration(one.best_seconds)),
            ),
          ),
        ),
      ),
    );
  });
}
