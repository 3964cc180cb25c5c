import { h } from "../parts/dom.js";
import { get } from "../server/api.js";
import { fill } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { monthTools } from "./periods.js";

const pageSize = 20;

/**
 * A board that has months only, at `path` in the API. Subclasses define `present(board, atOnce)`, which updates the page
 * and returns the line above the table and the table, and `id(entry)`.
 */
export class MonthBoard {
  constructor(path) {
    this.path = path;
    this.tools = monthTools((at) => this.go(at));
    this.tools.root.append(tabs());
    this.boardCard = h("section", { class: "card flat" });
    this.read();
    addEventListener("popstate", () => {
      this.read();
      this.turn();
    });
  }

  read() {
    this.at = new URLSearchParams(location.search).get("at");
  }

  go(at) {
    this.at = at;
    history.pushState(null, "", at ? `?${new URLSearchParams({ at })}` : location.pathname);
    this.turn();
  }

  /** To another month: the old board stays until the new one is there. */
  turn() {
    const { at } = this;
    return fill(this.boardCard, async () => {
      const board = await this.ask(pageSize);
      return at === this.at ? this.present(board, true) : [];
    });
  }

  ask(limit, after = null) {
    const query = new URLSearchParams({ limit, ...(this.at && { at: this.at }), ...(after && { after }) });
    return get(`${this.path}?${query}`);
  }

  async refresh() {
    const { at } = this;
    if (!this.board) return;
    const board = await this.ask(Math.min(200, Math.max(pageSize, this.board.entries.length)));
    if (at === this.at) this.show(board, false);
  }

  async more() {
    const { entries, next } = await this.ask(50, this.board.next);
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

/** Tabs for the global board and the group ranking. */
function tabs() {
  const tab = (href, text) => h("a", { href, "aria-current": location.pathname === href && "page" }, text);
  return h(
    "nav",
    { class: "seg", "aria-label": words.everyone.whose },
    tab("/board", words.everyone.about),
    tab("/board/groups", words.beside.about),
  );
}
