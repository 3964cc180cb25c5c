import { hasBegun, rows, table } from "../js/boards/board.js";
import { clockLine, myPlace, outcome, pin, rulesCard } from "../js/boards/board-side.js";
import { closedMonth } from "../js/boards/closed-month.js";
import { explain } from "../js/boards/explain-sheet.js";
import { pastCard, tableLink } from "../js/boards/fame.js";
import { liveSeconds } from "../js/boards/live.js";
import { memberSheet } from "../js/boards/member-sheet.js";
import { gapInWords, orderNames } from "../js/boards/orders.js";
import { isNow, periodTitle, periodTools } from "../js/boards/periods.js";
import { reporting } from "../js/boards/reporting.js";
import { recall, remember } from "../js/device/memory.js";
import { comingRules, firstSteps, groupCard } from "../js/groups/group-card.js";
import { groupMonth } from "../js/groups/group-month.js";
import { joinRequests } from "../js/groups/join-requests.js";
import { groupRoom } from "../js/groups/room.js";
import { ownSuspension } from "../js/groups/suspension.js";
import { art, h, icon, nodes, redraw } from "../js/parts/dom.js";
import { moving } from "../js/parts/moving.js";
import { segmented } from "../js/parts/segmented.js";
import { get } from "../js/server/api.js";
import { follow } from "../js/server/follow.js";
import { poll } from "../js/server/poll.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, empty, fill, lost } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";
import { monthInFull, periodOf, studyDay } from "../js/words/time.js";

const id = location.pathname.split("/")[2];
const pageSize = 20;

memberPage({ title: words.nav.board, current: "board", className: "pinned" }, async (main, user) => {
  const place = h("div");
  main.append(place);
  await fill(place, async () => {
    const view = new BoardPage(await group(), user, main);
    await view.load();
    remember("group", id);
    const asked = view.board.entries.find(({ uid }) => location.hash === `#${uid}`);
    if (asked) view.openMember(asked);
    const refresh = async () => {
      try {
        await view.refresh();
      } catch (problem) {
        if (problem.status !== 404) throw problem;
        view.end();
        place.replaceChildren(noLonger());
      }
    };
    poll(15, () => view.isStale && refresh());
    view.askRoom = poll(15, () => view.hasEnded || view.refreshRoom());
    poll(60, () => view.hasEnded || !view.group.listed || view.requests.refresh());
    return view.roots;
  }).then(() => location.hash === "#me" && document.getElementById("me")?.scrollIntoView());
});

/** Who studies on a board. */
const studies = ({ entries }) => String(entries.filter(({ studying }) => studying).map(({ uid }) => uid));

/** For a reader who was removed, or whose group was deleted, while the page was open. */
function noLonger() {
  if (recall("group") === id) remember("group", null);
  announce(words.groups.noLonger, { seen: true });
  const groups = h("a", { class: "btn", href: "/groups" }, words.groups.all);
  return lost(words.groups.noLonger, words.groups.noLongerText, groups);
}

/** Loads the group; forgets it if it no longer exists. */
async function group() {
  try {
    return await get(`/groups/${id}`);
  } catch (problem) {
    if (problem.status === 404 && recall("group") === id) remember("group", null);
    throw problem;
  }
}

/** A group's board: its period, the loaded entries, and everything around it. */
class BoardPage {
  constructor(group, user, main) {
    Object.assign(this, { group, user });
    this.choose(new URLSearchParams(location.search));
    this.table = table("", {
      user,
      onmore: () => this.more(),
      onexplain: () => explain(this.board),
      onopen: (entry) => this.openMember(entry),
      onreport: (entry) => reporting(entry, id),
    });
    this.motion = moving(this.table);
    this.live = liveSeconds();
    this.stream = follow("leaderboard", (board) => this.hear(board));
    this.tools = periodTools((period, at) => this.go({ period, at }));
    this.orders = segmented(
      "order",
      words.board.order,
      orderNames.map((name) => [name, words.board.orders[name]]),
      this.order,
      (order) => this.go({ order }),
    );
    this.meaning = h("p", { class: "muted small" });
    this.people = h("p", { class: "muted small" });
    this.above = h("div", { class: "stackup" });
    this.boardCard = h("section", { class: "card flat" });
    this.room = groupRoom(group, user);
    this.month = groupMonth(group);
    this.requests = joinRequests(group, () => this.refresh());
    this.mine = h("div");
    this.rules = h("div");
    this.closed = h("div", { class: "stackup" });
    this.csv = tableLink(group);
    this.pin = pin();
    main.append(this.pin.root);
    this.told = h("div", { class: "stackup" });
    this.alone = h("div", {}, firstSteps(group));
    const about = groupCard(group, user, () => {
      this.tellSuspension();
      return this.refresh();
    });
    this.renew = about.renew;
    this.about = about.root;
    this.tellSuspension();
    const side = h(
      "aside",
      { class: "side", "aria-label": words.board.side },
      this.closed,
      this.mine,
      about.root,
      this.rules,
      pastCard(group, () => this.board, this.csv.root),
    );
    const ranking = h("div", { class: "ranking" }, this.orders, this.meaning, this.boardCard, this.month.root);
    const head = h("div", { class: "head" }, h("div", {}, about.heading, this.people), this.tools.root);
    this.roots = [
      head,
      this.told,
      this.alone,
      this.requests.root,
      this.room.root,
      this.above,
      h("div", { class: "lay" }, ranking, side),
    ];
    addEventListener("popstate", () => {
      const { asked } = this;
      this.choose(new URLSearchParams(location.search));
      if (this.asked !== asked) this.turn();
    });
  }

  openMember({ uid, nickname }) {
    memberSheet(this.group, uid, nickname, this.user);
  }

  /** Stops following the board. */
  end() {
    this.hasEnded = true;
    this.stream.open(null);
    this.pin.root.remove();
  }

  choose(query) {
    this.period = ["day", "week", "month"].find((name) => name === query.get("period")) ?? "month";
    this.at = query.get("at");
    this.order = orderNames.find((name) => name === query.get("order")) ?? "seconds";
    for (const radio of this.orders?.querySelectorAll("input") ?? []) radio.checked = radio.value === this.order;
  }

  get asked() {
    return `${this.period} ${this.at} ${this.order}`;
  }

  /** Changes what is shown. */
  go(different) {
    Object.assign(this, different);
    const { period, at, order } = this;
    history.pushState(null, "", `?${new URLSearchParams({ period, ...(at && { at }), ...(order !== "seconds" && { order }) })}`);
    this.turn();
  }

  /** Loads another period; the old board stays until then. */
  turn() {
    const { asked } = this;
    return fill(this.boardCard, async () => {
      const board = await this.ask(pageSize);
      return asked === this.asked ? this.present(board, true) : [];
    });
  }

  ask(limit, after = null) {
    const query = this.query(limit);
    if (after) query.set("after", after);
    return get(`/groups/${id}/leaderboard?${query}`);
  }

  query(limit) {
    const query = new URLSearchParams({ period: this.period, order: this.order, limit });
    if (this.at) query.set("at", this.at);
    return query;
  }

  async load() {
    const [board] = await Promise.all([this.ask(pageSize), this.room.refresh(), this.requests.refresh()]);
    this.boardCard.replaceChildren(...this.present(board, true));
  }

  /** Loads today and the shown month's days again. */
  refreshRoom() {
    return Promise.all([this.room.refresh(), this.month.show(periodOf("month", this.board.at))]);
  }

  async refresh() {
    const { asked } = this;
    const board = await this.ask(Math.min(200, Math.max(pageSize, this.board.entries.length)));
    if (asked !== this.asked) return;
    this.tellMyRank(board);
    this.show(board, false);
  }

  /** Shows a board from the stream; one that was loaded further than a page is loaded again. */
  hear(board) {
    if (this.streamed !== this.asked) return;
    // Somebody began or stopped.
    if (studies(board) !== studies(this.board)) this.askRoom?.();
    if (this.board.entries.length > pageSize) return this.refresh().catch(() => {});
    this.tellMyRank(board);
    this.show(board, false);
  }

  /** Always without the stream. With it, each minute while somebody studies, because the page only counts on. */
  get isStale() {
    const { entries, me, state } = this.board;
    if (this.hasEnded) return false;
    if (!this.stream.works) return true;
    const isCounting =
      state === "open" && [...entries, ...(me?.neighbours ?? []), ...(me ? [me] : [])].some(({ studying }) => studying);
    return isCounting && performance.now() - this.freshAt > 55_000;
  }

  async more() {
    const { entries, next } = await this.ask(50, this.board.next);
    // The cursor continues at the first page's instant, so nobody is on two pages.
    this.show({ ...this.board, entries: [...this.board.entries, ...entries], next }, true);
  }

  /** Shows why the reader is suspended. */
  tellSuspension() {
    const answered = async () => {
      await this.renew();
      // The pressed button disappeared with the old notice.
      document.getElementById("suspended")?.focus();
    };
    this.told.replaceChildren(...nodes([ownSuspension(this.group, () => this.board, answered)]));
  }

  /** Like `present`, but keeps the table in place, with its focus. */
  show(board, atOnce) {
    // A reader who was just suspended or reinstated is told at once; in a new month the goal and the rules are others.
    if (board.at !== this.board.at || Boolean(board.me) !== Boolean(this.board.me)) this.renew().catch(() => {});
    const [line, content] = this.present(board, atOnce);
    if (content.isConnected) this.boardCard.firstElementChild.replaceWith(line);
    else this.boardCard.replaceChildren(line, content);
  }

  /** Updates everything to the board and returns the contents of its card. */
  present(board, atOnce) {
    const { group } = this;
    const month = periodOf("month", board.at);
    if (!this.board || periodOf("month", this.board.at) !== month) this.month.show(month).catch(() => {});
    this.board = board;
    this.freshAt = performance.now();
    this.streamed = this.asked;
    this.stream.open(`/groups/${id}/leaderboard/stream?${this.query(pageSize)}`);
    const title = periodTitle(board.period, board.at, studyDay(board.as_of, board.rules));
    document.title = `${title} · ${group.name}`;
    this.tools.show(board);
    this.alone.hidden = group.member_count > 1 || group.my_role === "member";
    const studying = board.entries.filter((entry) => entry.studying).length;
    this.people.textContent = words.board.people(
      board.participants,
      board.next || board.state !== "open" ? null : studying,
      board.state === "open" ? Math.max(group.member_count, board.participants) : null,
    );
    this.above.replaceChildren(...nodes([outcome(board), isNow(board) && comingRules(group, board)]));
    this.table.rename(words.board.caption(group.name, board.period === "month" ? monthInFull(board.at) : title));
    this.table.close(board.state !== "open");
    this.table.rank(board);
    this.meaning.textContent = words.board.meanings[board.order];
    this.meaning.hidden = board.order === "seconds";
    this.motion[atOnce ? "replace" : "update"](rows(board));
    redraw(this.mine, board, () => myPlace(board));
    redraw(this.rules, board, () => rulesCard(board));
    this.about.classList.toggle("past", board.state !== "open");
    // Who studies now says nothing about a period that is over.
    this.room.root.hidden = !isNow(board);
    this.showClosed(board);
    this.csv.show(board);
    const begun = hasBegun(board);
    this.pin.show(board, begun && this.table.root.querySelector("#me"));
    this.live(board);
    return [clockLine(board), begun ? this.table.root : this.nobodyYet(board, title)];
  }

  /** The seal and the amendments of a closed month; loaded again when another month is shown. */
  async showClosed(board) {
    const month = board.state === "closed" && board.period === "month" ? board.at : null;
    if (month === this.sealed) return;
    this.sealed = month;
    this.closed.replaceChildren();
    if (!month) return;
    const changed = () => {
      this.sealed = null;
      this.turn();
    };
    const cards = await closedMonth(this.group, board, changed).catch(() => {
      this.sealed = null;
      return [];
    });
    if (this.sealed === month) this.closed.replaceChildren(...cards);
  }

  nobodyYet({ state }, title) {
    const open = state === "open";
    // Who is alone is first asked to invite others.
    const look = this.alone.hidden ? "btn" : "btn quiet";
    const start = h("a", { class: look, href: "/home" }, icon("play"), words.timer.start);
    return empty(
      art("seed", "a-64"),
      open ? words.board.freshTitle(title) : words.board.nothingTitle(title),
      open ? words.board.fresh : words.board.nothing,
      ...(open ? [start] : []),
    );
  }

  /** The one sentence a screen reader hears: at most once a minute, and only about my own rank. */
  tellMyRank(board) {
    const { me } = board;
    if (!me || !this.board.me || me.rank === this.board.me.rank || performance.now() < (this.quietUntil ?? 0)) return;
    this.quietUntil = performance.now() + 60_000;
    announce(words.board.rankNow(me.rank, gapInWords(board)), { seen: true });
  }
}
