import { h } from "../parts/dom.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";

export const pageSize = 20;

/**
 * A board of the whole service, at `path` in the API; `tools` makes the choice of its period. Subclasses define
 * `present(board, atOnce)`, which updates the page and returns the line above the table and the table, and `id(entry)`.
 */
export class ServiceBoard {
  constructor(path, tools) {
    this.path = path;
    this.tools = tools((period, at) => this.go(period, at));
    this.tools.root.append(tabs());
    this.boardCard = h("section", { class: "card flat" });
    this.read();
    addEventListener("popstate", () => {
      const { asked } = this;
      this.read();
      if (this.asked !== asked) this.turn();
    });
  }

  read() {
    const query = new URLSearchParams(location.search);
    this.period = ["day", "week"].find((name) => name === query.get("period")) ?? "month";
    this.at = query.get("at");
  }

  go(period, at) {
    Object.assign(this, { period, at });
    history.pushState(null, "", `${location.pathname}?${this.query()}`);
    this.turn();
  }

  get asked() {
    return `${this.period} ${this.at}`;
  }

  query(more = {}) {
    return new URLSearchParams({ period: this.period, ...(this.at && { at: this.at }), ...more });
  }

  /** Whether the page must ask for what has changed. */
  get isStale() {
    return true;
  }

  /** What the page asks for every few seconds. */
  async news() {
    if (this.isStale) await this.refresh();
  }

  /** To another period: the old board stays until the new one is there. */
  turn() {
    const { asked } = this;
    return fill(this.boardCard, async () => {
      const board = await this.ask({ limit: pageSize });
      return asked === this.asked ? this.present(board, true) : [];
    });
  }

  ask(page) {
    return get(`${this.path}?${this.query(page)}`);
  }

  async refresh() {
    const { asked } = this;
    if (!this.board) return;
    const board = await this.ask({ limit: Math.min(200, Math.max(pageSize, this.board.entries.length)) });
    if (asked === this.asked) this.show(board, false);
  }

  async more() {
    const { entries, next } = await this.ask({ limit: 50, after: this.board.next });
    const known = new Set(this.board.entries.map(this.id));
    const added = entries.filter((entry) => !known.has(this.id(entry)));
    this.show({ ...this.board, entries: [...this.board.entries, ...added], next }, true);
  }

  /** Like `present`, but the table stays where it is, with its focus. */
  show(board, atOnce) {
    const [line, content] = this.present(board, atOnce);
    if (content.isConnected) this.boardCard.firstElementChild.replaceWith(line);
    else this.boardCard.replaceChildren(line, content);
  }
}

/** Tabs for the global board and the board of groups. */
function tabs() {
  const tab = (href, text) => h("a", { href, "aria-current": location.pathname === href && "page" }, text);
  return h(
    "nav",
    { class: "seg", "aria-label": words.everyone.whose },
    tab("/board", words.everyone.about),
    tab("/board/groups", words.beside.about),
  );
}
