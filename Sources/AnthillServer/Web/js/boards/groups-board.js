import { groupFace } from "../groups/group-face.js";
import { art, bdi, h, nodes, redraw, spoken } from "../parts/dom.js";
import { serverNow } from "../server/clock.js";
import { empty } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { hm, monthInFull, ownZone, periodOf, studyDay, timeOfDay } from "../words/time.js";
import { gapCell, place, tunnel } from "./board.js";
import { monthTools, periodTitle } from "./periods.js";
import { ServiceBoard } from "./service-board.js";

/** The board of groups. */
export class GroupsBoard extends ServiceBoard {
  constructor() {
    super("/leaderboard/groups", monthTools);
    this.table = table(() => this.more());
    this.mine = h("div");
    const side = h("aside", { class: "side", "aria-label": words.board.side }, this.mine, aboutCard());
    const head = h("div", { class: "head" }, h("h1", {}, words.beside.title), this.tools.root);
    this.roots = [head, h("div", { class: "lay" }, this.boardCard, side)];
  }

  id({ group }) {
    return group.id;
  }

  present(board) {
    this.board = board;
    const now = board.as_of ?? serverNow().toISOString();
    const today = studyDay(now, board.study_clock);
    const title = periodTitle("month", board.at, today);
    document.title = `${title} · ${words.beside.title}`;
    this.tools.show({ ...board, as_of: now, rules: board.study_clock });
    this.table.update(rows(board), words.board.caption(words.beside.title, monthInFull(board.at)));
    this.mine.replaceChildren(...nodes([board.mine.length > 0 ? ownCard(board.mine) : board.entries.length > 0 && joinCard()]));
    const isOpen = board.at >= periodOf("month", today);
    const line = isOpen && board.as_of ? words.beside.counted(timeOfDay(board.as_of, ownZone())) : words.beside.past;
    const nobody = empty(art("seed", "a-64"), words.board.nothingTitle(title), words.beside.nobody, toGroups());
    return [h("p", { class: "muted small above" }, line), board.entries.length > 0 ? this.table.root : nobody];
  }
}

/** The loaded entries, then a gap for the rest, and the reader's own groups in it. */
function rows({ entries, mine, next }) {
  const loaded = new Set(entries.map(({ group }) => group.id));
  const below = next ? mine.filter(({ group, mean_seconds: mean }) => mean > 0 && !loaded.has(group.id)) : [];
  const holders = new Map();
  for (const { rank } of [...entries, ...below]) holders.set(rank, (holders.get(rank) ?? 0) + 1);
  const row = (entry) => ({ entry, tied: holders.get(entry.rank) > 1 });
  return [...entries.map(row), ...(next ? [{ gap: { from: entries.length + 1, to: null } }] : []), ...below.map(row)];
}

function table(onmore) {
  const title = h("caption", { class: "vh" });
  const body = h("tbody");
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, words.board.rank),
    h("th", { scope: "col" }, words.groups.one),
    h("th", { scope: "col" }, words.beside.mean),
  );
  const write = (row, first) => {
    const key = row.gap ? "gap" : row.entry.group.id;
    const line = [...body.rows].find((each) => each.dataset.key === key) ?? h("tr", { "data-key": key });
    line.className = row.gap ? "gap" : [row.entry.rank === 1 && "top1", row.entry.mine && "me"].filter(Boolean).join(" ");
    redraw(line, [row, first], () => (row.gap ? gapCell(row.gap, onmore) : cells(row, first)));
    return line;
  };
  return {
    root: h("table", { class: "board still" }, title, h("thead", {}, head), body),
    update(list, caption) {
      title.replaceChildren(caption);
      const first = Math.max(1, ...list.map(({ entry }) => entry?.mean_seconds ?? 0));
      const lines = list.map((row) => write(row, first));
      const stay = lines.length === body.rows.length && lines.every((line, index) => line === body.rows[index]);
      if (!stay) body.replaceChildren(...lines);
    },
  };
}

function cells({ entry, tied }, first) {
  const { group, rank, rules, member_count: count, mean_seconds: seconds, mine } = entry;
  const name = mine ? h("a", { href: `/groups/${group.id}` }, bdi(group.name)) : bdi(group.name);
  return [
    h("td", { class: "rank" }, h("div", {}, place({ rank }, tied, true))),
    h(
      "th",
      { scope: "row" },
      h(
        "div",
        { class: "who" },
        groupFace(group),
        h("span", { class: "nick" }, h("span", {}, name), mine && h("span", { class: "chip me" }, words.beside.ours)),
        tunnel({ seconds, manual_seconds: 0 }, seconds / first),
        h(
          "div",
          { class: "sub" },
          h("span", {}, words.groups.members_count(count)),
          h("span", {}, words.beside.cap(rules.daily_cap_seconds)),
          tied && h("span", {}, words.board.tied),
        ),
      ),
    ),
    h("td", { class: "time", "data-seconds": seconds }, spoken(hm(seconds), words.duration(seconds))),
  ];
}

/** The reader's groups, whatever their rank. */
const ownCard = (mine) =>
  h(
    "section",
    { class: "card", "aria-labelledby": "mine" },
    h("header", {}, h("h2", { id: "mine" }, words.beside.own)),
    h("ul", { class: "set" }, mine.map(ownRow)),
  );

function ownRow({ group, rank, mean_seconds: mean, gap_to_next_seconds: gap }) {
  const distance = gap !== null && words.board.gapShort(words.duration(gap));
  return h(
    "li",
    {},
    h(
      "div",
      { class: "l" },
      groupFace(group),
      " ",
      h("a", { href: `/groups/${group.id}` }, bdi(group.name)),
      h("span", { class: "hint" }, mean > 0 ? distance : words.beside.notBegun),
    ),
    mean > 0 && h("div", { class: "c" }, h("span", { class: "chip leaf" }, words.board.ranked(rank, false))),
  );
}

const toGroups = () => h("a", { class: "btn quiet small", href: "/groups" }, words.groups.all);

const joinCard = () =>
  h(
    "section",
    { class: "card", "aria-labelledby": "join" },
    h("header", {}, h("h2", { id: "join" }, words.beside.notOnIt)),
    h("p", { class: "muted small" }, words.beside.join),
    h("div", { class: "btns" }, toGroups()),
  );

/** How groups are compared. */
const aboutCard = () =>
  h(
    "section",
    { class: "card", "aria-labelledby": "about" },
    h("header", {}, h("h2", { id: "about" }, words.beside.how)),
    h("p", { class: "muted small" }, words.beside.howText),
  );
