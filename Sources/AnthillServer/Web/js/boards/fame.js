import { bdi, button, face, h, icon, spoken, svg } from "../parts/dom.js";
import { sheet } from "../parts/sheet.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { hm, monthInFull, monthTitle } from "../words/time.js";
import { earlierBoard } from "./earlier-board.js";

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
      button([icon("calendar"), words.fame.mine], () => history(group), "btn text small wide"),
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

function history(group) {
  const place = h("div", { class: "opened" });
  sheet(words.fame.mine, place);
  fill(place, async () => {
    const { items } = await get("/me/standings");
    const mine = items.filter((each) => each.group.id === group.id).reverse();
    if (mine.length === 0) return h("p", { class: "muted" }, words.fame.none);
    const cell = (tag, ...content) => h(tag, tag === "th" ? { scope: "col" } : {}, ...content);
    return [
      mine.length > 1 && rankChart(mine),
      h(
        "table",
        { class: "parts" },
        h("caption", { class: "vh" }, words.fame.mine),
        h(
          "thead",
          {},
          h("tr", {}, cell("th", words.board.periods.month), cell("th", words.board.rank), cell("th", words.board.time)),
        ),
        h(
          "tbody",
          {},
          mine
            .toReversed()
            .map((each) =>
              h(
                "tr",
                {},
                cell("td", monthInFull(each.month)),
                cell("td", words.fame.of(each.rank, each.participants)),
                cell("td", spoken(hm(each.seconds), words.duration(each.seconds))),
              ),
            ),
        ),
      ),
    ].filter(Boolean);
  });
}

/** Ranks over the months, the first at the top; the table below it says the same. */
function rankChart(months) {
  const lowest = Math.max(3, ...months.map(({ rank }) => rank));
  const [width, height, edge] = [320, 160, 24];
  const x = (index) => edge + (index / (months.length - 1)) * (width - 2 * edge);
  const y = (rank) => edge + ((rank - 1) / (lowest - 1)) * (height - 2.5 * edge);
  const shown = months.map(({ rank, month }, index) => ({ rank, month, left: x(index), top: y(rank) }));
  return svg(
    "svg",
    { class: "bars ranks", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    svg("polyline", { points: shown.map(({ left, top }) => `${left},${top}`).join(" "), fill: "none" }),
    shown.map(({ rank, month, left, top }, index) => [
      svg("circle", { cx: left, cy: top, r: 5 }),
      svg("text", { class: "b", x: left, y: top - 10, "text-anchor": "middle" }, words.board.ranked(rank, false)),
      (index === 0 || index === shown.length - 1) &&
        svg("text", { x: left, y: height - 6, "text-anchor": index === 0 ? "start" : "end" }, monthTitle(month)),
    ]),
  );
}
