import { h, spoken, svg } from "../parts/dom.js";
import { sheet } from "../parts/sheet.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { hm, monthInFull, monthTitle } from "../words/time.js";

/** The sheet with the reader's ranks in a group's closed months. */
export function ownRanks(group) {
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
