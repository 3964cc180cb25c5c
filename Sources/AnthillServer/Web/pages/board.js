import { rows, table } from "../js/boards/board.js";
import { clockLine, myPlace, outcome, pin, rulesCard } from "../js/boards/board-side.js";
import { explain } from "../js/boards/explain-sheet.js";
import { GroupsBoard } from "../js/boards/groups-board.js";
import { periodTitle, periodTools } from "../js/boards/periods.js";
import { reporting } from "../js/boards/reporting.js";
import { pageSize, ServiceBoard } from "../js/boards/service-board.js";
import { suspensionNotice } from "../js/groups/suspension.js";
import { art, h, nodes, redraw } from "../js/parts/dom.js";
import { moving } from "../js/parts/moving.js";
import { get } from "../js/server/api.js";
import { follow } from "../js/server/follow.js";
import { poll } from "../js/server/poll.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, empty, fill } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";
import { monthInFull, studyDay } from "../js/words/time.js";

const ofGroups = location.pathname === "/board/groups";
const title = ofGroups ? words.beside.title : words.everyone.title;

memberPage({ title, current: "board", className: "pinned" }, async (main, user) => {
  const view = ofGroups ? new GroupsBoard() : new EveryonesBoard(user);
  main.append(...view.roots);
  await view.turn();
  poll(ofGroups ? 60 : 15, () => view.news());
});

/** The board of everyone who opted in. */
class EveryonesBoard extends ServiceBoard {
  constructor(user) {
    super("/leaderboard", periodTools);
    this.user = user;
    this.table = table("", {
      user,
      hands: false,
      onexplain: () => explain(this.board),
      onreport: (entry) => reporting(entry, null),
      onmore: () => this.more(),
    });
    this.motion = moving(this.table);
    this.stream = follow("leaderboard", (board) => this.hear(board));
    this.people = h("p", { class: "muted small" });
    this.above = h("div", { class: "stackup" });
    this.mine = h("div");
    this.rules = h("div");
    this.pin = pin();
    const side = h("aside", { class: "side", "aria-label": words.board.side }, this.mine, aboutCard(), this.rules);
    const head = h("div", { class: "head" }, h("div", {}, h("h1", {}, words.everyone.title), this.people), this.tools.root);
    this.told = h("div", { class: "stackup" });
    this.roots = [head, this.told, this.above, h("div", { class: "lay" }, this.boardCard, side), this.pin.root];
  }

  id({ uid }) {
    return uid;
  }

  async turn() {
    await fill(this.told, () => this.suspensionTold());
    return super.turn();
  }

  /** Also a suspension that began or ended meanwhile; a notice that stays is left alone. */
  async news() {
    const now = await suspensionInForce();
    if (now?.id !== this.suspension?.id) {
      this.tell(now);
      announce(now ? words.everyone.suspended.title : words.everyone.suspended.over);
    }
    return super.news();
  }

  /** Tells a suspended reader why and until when, with a reply. */
  async suspensionTold() {
    this.suspension = await suspensionInForce();
    return this.suspension ? [this.notice(this.suspension)] : [];
  }

  tell(suspension) {
    this.suspension = suspension;
    this.told.replaceChildren(...(suspension ? [this.notice(suspension)] : []));
  }

  notice(suspension) {
    const { suspended: text } = words.everyone;
    const path = `/me/suspensions/${suspension.id}/answer`;
    const changed = async () => {
      await fill(this.told, () => this.suspensionTold());
      document.getElementById("suspended").focus();
    };
    return suspensionNotice(suspension, { ...text, path, zone: this.user.study_clock.time_zone, changed });
  }

  get isStale() {
    return !this.stream.works;
  }

  /** Shows a board from the stream; one that was loaded further than a page is loaded again. */
  hear(board) {
    if (this.streamed !== this.asked) return;
    if (this.board.entries.length > pageSize) return this.refresh().catch(() => {});
    this.show(board, false);
  }

  present(board, atOnce) {
    this.board = board;
    this.streamed = this.asked;
    this.stream.open(`${this.path}/stream?${this.query({ limit: pageSize })}`);
    const title = periodTitle(board.period, board.at, studyDay(board.as_of, board.rules));
    document.title = `${title} · ${words.everyone.title}`;
    this.tools.show(board);
    this.people.textContent = words.everyone.people(board.participants);
    this.above.replaceChildren(...nodes([outcome(board)]));
    const inFull = board.period === "month" ? monthInFull(board.at) : title;
    this.table.rename(words.board.caption(words.everyone.title, inFull));
    this.table.rank(board);
    this.table.close(board.state !== "open");
    this.motion[atOnce ? "replace" : "update"](rows(board));
    redraw(this.mine, [board, this.suspension], () => (board.me ? myPlace(board) : !this.suspension && notOnIt()));
    redraw(this.rules, board, () => rulesCard(board));
    const begun = board.entries.length > 0;
    this.pin.show(board, begun && this.table.root.querySelector("#me"));
    const nobody = empty(art("seed", "a-64"), words.board.nothingTitle(title), words.everyone.nobody);
    return [clockLine(board), begun ? this.table.root : nobody];
  }
}

/** The reader's suspension from the service's own boards; undefined when there is none now. */
async function suspensionInForce() {
  const { items } = await get("/me/suspensions?limit=1");
  return items.find((each) => each.in_force);
}

/** How this board differs from a group's. */
const aboutCard = () =>
  h(
    "section",
    { class: "card", "aria-labelledby": "about" },
    h(
      "header",
      {},
      h("h2", { id: "about" }, words.everyone.about),
      h("a", { class: "small", href: "/groups" }, words.groups.all),
    ),
    h("p", { class: "muted small" }, words.everyone.aboutText),
  );

/** For a reader who is not on the board this month. */
const notOnIt = () =>
  h(
    "section",
    { class: "card", "aria-labelledby": "join" },
    h("header", {}, h("h2", { id: "join" }, words.everyone.notOnIt)),
    h("p", { class: "muted small" }, words.everyone.join),
    h("a", { class: "btn quiet small wide", href: "/settings#global_board" }, words.everyone.settings),
  );
