import { rows, table } from "../js/boards/board.js";
import { clockLine, myPlace, outcome, pin, rulesCard } from "../js/boards/board-side.js";
import { GroupsBoard } from "../js/boards/groups-board.js";
import { MonthBoard } from "../js/boards/month-board.js";
import { periodTitle } from "../js/boards/periods.js";
import { art, h, nodes } from "../js/parts/dom.js";
import { moving } from "../js/parts/moving.js";
import { poll } from "../js/server/poll.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, empty, fill } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";
import { monthInFull, studyDay } from "../js/words/time.js";

const ofGroups = location.pathname === "/board/groups";
const title = ofGroups ? words.beside.title : words.everyone.title;

memberPage({ title, current: "board", className: "pinned" }, async (main, user) => {
  const place = h("div");
  main.append(place);
  await fill(place, async () => {
    const view = ofGroups ? new GroupsBoard() : new EveryonesBoard(user, main);
    await view.turn();
    poll(ofGroups ? 60 : 15, () => view.refresh());
    return view.roots;
  });
});

/** The board of everyone who opted in. */
class EveryonesBoard extends MonthBoard {
  constructor(user, main) {
    super("/leaderboard");
    this.user = user;
    this.table = table("", {
      user,
      moves: false,
      hands: false,
      onmore: () => this.more().catch(({ message }) => announce(message)),
    });
    this.motion = moving(this.table);
    this.people = h("p", { class: "muted small" });
    this.above = h("div", { class: "stackup" });
    this.mine = h("div");
    this.rules = h("div");
    this.pin = pin();
    main.append(this.pin.root);
    const side = h("aside", { class: "side", "aria-label": words.board.side }, this.mine, aboutCard(), this.rules);
    const head = h("div", { class: "head" }, h("div", {}, h("h1", {}, words.everyone.title), this.people), this.tools.root);
    this.roots = [head, this.above, h("div", { class: "lay" }, this.boardCard, side)];
  }

  id({ uid }) {
    return uid;
  }

  present(board, atOnce) {
    this.board = board;
    const title = periodTitle("month", board.at, studyDay(board.as_of, board.rules));
    document.title = `${title} · ${words.everyone.title}`;
    this.tools.show(board);
    this.people.textContent = words.everyone.people(board.participants);
    this.above.replaceChildren(...nodes([outcome(board)]));
    this.table.rename(words.board.caption(words.everyone.title, monthInFull(board.at)));
    this.table.close(board.state !== "open");
    this.motion[atOnce ? "replace" : "update"](rows(board));
    this.mine.replaceChildren(...nodes([board.me ? myPlace(board) : notOnIt()]));
    this.rules.replaceChildren(rulesCard(board));
    const begun = board.entries.length > 0;
    this.pin.show(board, begun && this.table.root.querySelector("#me"));
    const nobody = empty(art("seed", "a-64"), words.board.nothingTitle(title), words.everyone.nobody);
    return [clockLine(board), begun ? this.table.root : nobody];
  }
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
