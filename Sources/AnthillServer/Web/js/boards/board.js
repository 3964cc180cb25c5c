import { art, button, face, h, hidden, icon, keepingFocus, nodes, redraw, spoken, svg } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { hm } from "../words/time.js";
import { live } from "./live.js";
import { orderOf } from "./orders.js";
import { key, name } from "./who.js";

/** The share added by hand in whole per cent; at least 1 if there is any. */
export const handShare = ({ seconds, manual_seconds: manual }) =>
  manual === 0 || seconds === 0 ? 0 : Math.max(1, Math.round((manual / seconds) * 100));

/** Whether anybody has studied in the board's period, or is studying now; before that all members share rank 1. */
export const hasBegun = ({ entries }) => entries.some(({ seconds, studying }) => seconds > 0 || studying);

/**
 * The rows of a board from top to bottom: the loaded entries; if I am further down, a gap and my neighbours; then a gap
 * for what is not loaded yet. Rows are {entry, tied} or {gap: {from, to}}.
 */
export function rows(board) {
  const { entries, me, next, participants } = board;
  const { score } = orderOf(board);
  const around = me ? [...me.neighbours.slice(0, me.above), me, ...me.neighbours.slice(me.above)] : [];
  const places = new Map(entries.map((entry, index) => [key(entry), index]));
  places.delete(null);
  // Both lists are in the board's order without gaps, so one entry in both tells how far they overlap.
  const shared = around.findIndex((entry) => places.has(key(entry)));
  const near = shared < 0 ? around : around.slice(Math.max(0, entries.length + shared - places.get(key(around[shared]))));
  const all = [...entries, ...near];
  const holders = new Map();
  for (const { rank } of all) holders.set(rank, (holders.get(rank) ?? 0) + 1);
  const row = (entry, index) => ({ entry, index, tied: holders.get(entry.rank) > 1 && score(entry) > 0 });
  const from = entries.length + 1;
  if (!next || near.length === 0) return [...all.map(row), ...(next ? [{ gap: { from, to: null } }] : [])];
  const first = placeOf(around);
  const follows = shared >= 0 || first === from;
  const last = near.at(-1);
  const below = first === null ? last.rank + holders.get(last.rank) : first + around.length;
  const isOver = around.length - me.above <= 3 || below > participants;
  return [
    ...entries.map(row),
    ...(follows ? [] : [{ gap: { from, to: (first ?? near[0].rank) - 1 } }]),
    ...near.map((entry, index) => row(entry, entries.length + index)),
    ...(isOver ? [] : [{ gap: { from: below, to: null } }]),
  ];
}

/**
 * The position of the first neighbour among all entries. A hidden member's rank is their position, and so is the rank
 * of an entry that has less than the one before. Null if all are tied: then the ranks do not tell.
 */
function placeOf(around) {
  const other = around.findIndex(({ rank, hidden: hides }) => hides || rank !== around[0].rank);
  return other < 0 ? null : around[other].rank - other;
}

/**
 * The board's table: `rank(board)` sets what it ranks by, `update(list)` fills it. `short` is the excerpt on the home
 * page, `hands` shows the share added by hand. With `onopen(entry)`, names lead to more about who has them; with
 * `onreport(entry)`, others can be reported.
 */
export function table(
  caption,
  { user, short = false, hands = true, onmore = () => {}, onexplain = null, onopen = null, onreport = null },
) {
  const body = h("tbody");
  const measured = h("th", { scope: "col" });
  const deeds = onreport && h("th", { scope: "col" }, hidden(words.report.title));
  let by;
  const title = h("caption", { class: "vh" }, caption);
  const head = h(
    "thead",
    { class: short && "vh" },
    h("tr", {}, h("th", { scope: "col" }, words.board.rank), h("th", { scope: "col" }, words.board.name), measured, deeds),
  );
  const root = h("table", { class: short ? "board short" : "board" }, title, head, body);

  const rank = (board) => {
    const moved = board.group === null ? words.everyone.moved[board.period] : words.board;
    by = { ...orderOf(board), name: board.order, period: board.period, moved };
    measured.replaceChildren(...words.board.columns[board.order](board.days));
  };
  rank({ order: "seconds" });

  const write = (row, first) => {
    const id = row.gap ? `gap-${row.gap.to === null}` : (key(row.entry) ?? `gone-${row.index}`);
    const line = [...body.rows].find((each) => each.dataset.key === id) ?? h("tr", { "data-key": id });
    line.className = row.gap ? "gap" : className(row.entry, user, by);
    if (!row.gap && row.entry.uid === user.uid && !short) line.id = "me";
    const isOver = root.classList.contains("final");
    redraw(line, [row, first, by.name, by.period, isOver], () =>
      row.gap
        ? gapCell(row.gap, onmore, onreport ? 4 : 3)
        : [
            cells(row, { first, by, user, short, isOver, hands, onexplain, onopen }),
            onreport && deedCell(row.entry, user, onreport),
          ],
    );
    return line;
  };

  function update(list) {
    const first = Math.max(1, ...list.map(({ entry }) => (entry && by.score(entry)) ?? 0));
    const lines = list.map((row) => write(row, first));
    const stay = lines.length === body.rows.length && lines.every((line, index) => line === body.rows[index]);
    if (stay) return;
    const focused = document.activeElement;
    body.replaceChildren(...lines);
    if (body.contains(focused)) focused.focus({ preventScroll: true });
  }

  /** Whether rows would change places, not only their numbers. */
  const wouldMove = (list) => {
    const now = [...body.rows].map((row) => row.dataset.key).filter((id) => !id.startsWith("g"));
    return (
      now.join() !==
      list
        .map(({ entry }) => entry && key(entry))
        .filter(Boolean)
        .join()
    );
  };

  return {
    root,
    body,
    rank,
    update,
    wouldMove,
    /** A past period shows no changes of rank and nobody studying. */
    close: (isOver) => root.classList.toggle("final", isOver),
    rename: (text) => title.replaceChildren(text),
  };
}

const className = (entry, user, by) =>
  [entry.hidden && "someone", entry.rank === 1 && by.score(entry) > 0 && "top1", entry.uid === user.uid && "me"]
    .filter(Boolean)
    .join(" ");

function cells({ entry, tied }, { first, by, user, short, isOver, hands, onexplain, onopen }) {
  if (entry.hidden) return someone(entry);
  const mine = entry.uid === user.uid;
  const studying = h("span", { class: "live" }, h("span", { class: "dot" }), words.board.studying);
  const studies = entry.studying && !isOver;
  const counts = by.score(entry) > 0;
  const seconds = mine && onexplain ? opened(entry, onexplain) : time(entry);
  const share = hands && handShare(entry) > 0 && words.board.byHand(handShare(entry));
  const tie = tied && h("span", {}, words.board.tied);
  const below = nodes([studies && studying, share && h("span", {}, share), tie]);
  const details = short
    ? h("div", { class: "vh" }, studies && studying, share && ` ${share}`)
    : below.length > 0 && h("div", { class: "sub" }, below);
  return [
    h("td", { class: "rank" }, h("div", {}, place(entry, tied, counts), counts && !isOver && move(entry.change, by.moved))),
    h(
      "th",
      { scope: "row" },
      h(
        "div",
        { class: "who" },
        face(entry, short && studies ? "on" : ""),
        h(
          "span",
          { class: "nick" },
          h("span", {}, onopen ? named(entry, onopen) : name(entry)),
          mine && h("span", { class: "chip me" }, words.board.me),
        ),
        tunnel(entry, by.score(entry) / first),
        details,
      ),
    ),
    h(
      "td",
      { class: "time", "data-seconds": entry.seconds },
      by.name === "seconds"
        ? [seconds, studies && !short && h("span", { class: "live s", "aria-hidden": "true", ...live(entry, "rest") })]
        : [spoken(by.shown(by.score(entry)), by.said(by.score(entry))), h("span", { class: "also" }, hidden(", "), seconds)],
    ),
  ];
}

/** What can be done about somebody in the row: report them, if they have a name here. */
const deedCell = (entry, user, onreport) =>
  h(
    "td",
    { class: "deed" },
    !entry.hidden &&
      entry.nickname !== null &&
      entry.uid !== user.uid &&
      button(icon("flag"), () => onreport(entry), "btn text icon small", {
        "aria-label": words.report.label(entry.nickname),
        "data-key": `report-${entry.uid}`,
      }),
  );

/** A name that opens the sheet about who has it; not that of somebody whose account is gone. */
function named(entry, onopen) {
  if (entry.nickname === null) return name(entry);
  const open = (event) => {
    event.preventDefault();
    onopen(entry);
  };
  const leads = { href: `#${entry.uid}`, "aria-haspopup": "dialog", "data-key": `open-${entry.uid}` };
  return h("a", { class: "open", onclick: open, ...leads }, name(entry));
}

/** A hidden member, in their place. */
const someone = (entry) => [
  h("td", { class: "rank" }, h("div", {}, place(entry, false, false))),
  h("th", { scope: "row" }, h("div", { class: "who" }, face(entry), h("span", { class: "nick" }, name(entry)))),
  h("td", { class: "time" }, spoken("–", words.board.untold)),
];

const time = (entry) => [
  h("span", { "aria-hidden": "true", ...live(entry, "hm") }, hm(entry.seconds)),
  h("span", { class: "vh", ...live(entry, "said") }, words.duration(entry.seconds)),
];

/** My own time; it opens the sheet that explains it. */
const opened = (entry, onexplain) =>
  button([time(entry), hidden(`, ${words.explain.title}`)], onexplain, "link", { "data-key": "explain-row" });

export function place({ rank }, tied, isBegun) {
  if (rank <= 3 && isBegun) return [art(`medal-${rank}`, "medal"), hidden(words.board.ranked(rank, tied))];
  return h("span", { class: "n" }, spoken(String(rank), words.board.ranked(rank, tied)));
}

function move(change, moved) {
  if (change === null) return h("span", { class: "move" }, spoken(words.board.new, words.board.newInFull));
  if (change === 0) return h("span", { class: "move" }, hidden(moved.same));
  const count = h("span", { "aria-hidden": "true" }, String(Math.abs(change)), h("span", { class: "w" }, words.board.places));
  const said = hidden(change > 0 ? moved.up(change) : moved.down(-change));
  return h("span", { class: change > 0 ? "move up" : "move" }, art(change > 0 ? "i-up" : "i-dn", ""), count, said);
}

/** The bar: solid for the timer, dashed for time added by hand, relative to the first. */
export function tunnel({ seconds, manual_seconds: manual }, share) {
  const at = (part) => `${((part / Math.max(1, seconds)) * share * 100).toFixed(1)}%`;
  const line = (kind, from, to) => svg("line", { class: kind, x1: from, x2: to, y1: 3, y2: 3 });
  return svg(
    "svg",
    { class: "tunnel", "aria-hidden": "true" },
    line("bg", "0", "100%"),
    seconds > manual && line("t", "0", at(seconds - manual)),
    manual > 0 && line("m", at(seconds - manual), at(seconds)),
  );
}

/** The button that loads the rows of a gap, or says why not; when it is gone, the first of them has its focus. */
export function gapCell({ from, to }, onmore, columns = 3) {
  const load = async () => {
    try {
      await onmore();
    } catch (problem) {
      announce(said(problem));
    }
  };
  const more = ({ target }) => {
    const above = target.closest("tr").previousSibling;
    return keepingFocus(load, () => above.nextSibling);
  };
  return h("td", { colspan: columns }, button([words.board.more(from, to), icon("down")], more, "btn text small"));
}
