import { explain } from "../js/boards/explain-sheet.js";
import { monthTools } from "../js/boards/periods.js";
import { suspending, suspensionRow } from "../js/groups/suspending.js";
import { called } from "../js/groups/suspension.js";
import { bdi, button, face, h, icon } from "../js/parts/dom.js";
import { factsOf } from "../js/parts/facts.js";
import { said } from "../js/parts/form.js";
import { helpLink } from "../js/parts/help-link.js";
import { paged } from "../js/parts/paged.js";
import { get, Problem, remove } from "../js/server/api.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, fill } from "../js/shell/notices.js";
import { fairness as text } from "../js/words/fairness/i18n.js";
import { words } from "../js/words/i18n.js";
import { dayAndTime, hms, monthInFull, ownZone } from "../js/words/time.js";

const id = location.pathname.split("/")[2];

memberPage({ title: words.fairness.title, current: "board" }, async (main, user) => {
  const place = h("div");
  main.append(place);
  await fill(place, async () => {
    const group = await get(`/groups/${id}`);
    // Only admins have this page.
    if (group.my_role === "member") throw new Problem(404, { code: "not_found" });
    document.title = `${words.fairness.title} · ${group.name}`;
    const page = new FairnessPage(group, user);
    await page.load();
    // The list of members leads straight to the sheet about one of them; the way back does not.
    if (location.hash) {
      const asked = get(`/groups/${id}/members/${location.hash.slice(1)}`);
      history.replaceState(null, "", location.pathname);
      await asked.then(
        (member) => page.suspend(member),
        (problem) => announce(said(problem)),
      );
    }
    return page.roots;
  });
});

/** The admins' page: the signals of a month, suspensions with their replies, and the activity log. */
class FairnessPage {
  constructor(group, user) {
    Object.assign(this, { group, user });
    this.suspensions = card(
      "suspensions",
      text.suspensions,
      button(text.suspend, () => this.suspend(), "btn quiet small"),
    );
    this.events = card("audit", text.audit);
    this.month = null;
    this.tools = monthTools((_, at) => {
      this.month = at;
      return this.showSignals();
    });
    this.signals = card("signals", text.signals, this.tools.root);
    const lead = h("p", { class: "muted" }, text.lead);
    const back = h("a", { href: `/groups/${id}` }, bdi(group.name));
    const head = h("div", { class: "head" }, h("div", {}, h("h1", {}, words.fairness.title), h("p", { class: "small" }, back)));
    this.roots = [head, lead, h("div", { class: "fairness" }, this.signals.root, this.suspensions.root, this.events.root)];
  }

  load() {
    return Promise.all([this.showSignals(), this.showSuspensions(), this.showEvents()]);
  }

  /** After an action: announces it and reloads everything. */
  async again(told) {
    announce(told);
    this.suspensions.heading.focus();
    await Promise.all([this.showSuspensions(), this.showEvents()]);
  }

  suspend(member) {
    return suspending(this.group, this.user, member, (told) => this.again(told)).catch((problem) => announce(said(problem)));
  }

  showSignals() {
    const asked = this.month ? `&month=${this.month}` : "";
    let month;
    // Members with signals come first, so the list ends where they do.
    const load = async (after) => {
      const { items, next, ...shown } = await get(`/groups/${id}/signals?limit=50${after || asked}`);
      month = shown.month;
      const some = items.filter(({ signals }) => signals.length > 0);
      return { items: some, next: some.length === items.length ? next : null };
    };
    const how = h(
      "details",
      { class: "folded" },
      h("summary", {}, text.how),
      h(
        "ul",
        { class: "points small" },
        text.howItems.map((each) => h("li", {}, each)),
      ),
      helpLink("fairness"),
    );
    return fill(this.signals.place, async () => {
      const nobody = () => h("p", {}, text.noSignals(monthInFull(month)));
      const list = await paged(load, (each) => this.figures(each, month), nobody, "set people");
      this.thisMonth ??= month;
      // (Any instant of the current month.)
      this.tools.show({ period: "month", at: month, as_of: `${this.thisMonth}-15T12:00:00Z`, rules: this.group.rules });
      return [...list, how];
    });
  }

  /** A member with their signals and the buttons to look closer and to suspend. */
  figures(each, month) {
    const { uid, nickname, role, seconds, signals } = each;
    const isMine = uid === this.user.uid;
    const mayAct = !isMine && (this.group.my_role === "owner" || role === "member");
    const look = () => explain({ group: { id }, period: "month", at: month }, isMine ? null : { uid, nickname });
    return h(
      "li",
      {},
      face(each),
      h(
        "div",
        { class: "l" },
        h("span", { class: "nick" }, bdi(nickname), isMine && h("span", { class: "chip me" }, words.board.me)),
        h("span", { class: "hint" }, text.studied(words.duration(seconds), each.days)),
      ),
      h(
        "ul",
        { class: "facts marks" },
        signals.map((name) => h("li", {}, icon("info"), h("span", {}, mark(name, each)))),
      ),
      h(
        "div",
        { class: "deeds" },
        button(text.look, look, "btn quiet small", { "aria-label": text.lookLabel(nickname) }),
        mayAct && button(text.suspend, () => this.suspend(each), "btn text small", { "aria-label": text.suspendLabel(nickname) }),
      ),
    );
  }

  showSuspensions() {
    const load = (after) => get(`/groups/${id}/suspensions?limit=50${after}`);
    return fill(this.suspensions.place, () => paged(load, (each) => this.suspension(each), none(text.noSuspensions)));
  }

  suspension(each) {
    const lift = async () => {
      await remove(`/groups/${id}/suspensions/${each.id}`);
      await this.again(text.lifted(each.nickname ?? words.fairness.gone));
    };
    return suspensionRow(each, ownZone(), each.uid === this.user.uid, lift);
  }

  showEvents() {
    const load = (after) => get(`/groups/${id}/audit?limit=30${after}`);
    return fill(this.events.place, () => paged(load, (each) => this.event(each), none(text.noEvents)));
  }

  event({ at, kind, actor, member, details }) {
    const zone = ownZone();
    const sentence =
      text.events[kind]?.(details.operator ? text.operator : called(actor), called(member), factsOf(details, zone)) ?? kind;
    return h(
      "li",
      {},
      h("div", { class: "l" }, sentence, h("span", { class: "hint" }, h("time", { datetime: at }, dayAndTime(at, zone)))),
    );
  }
}

/** A signal as a sentence with its numbers. */
function mark(name, each) {
  const { commonest_length_seconds: length, commonest_length_count: equal, manual_permille: permille } = each;
  if (name === "near_cap") return text.marks.near_cap(each.days_near_cap, words.duration(each.longest_day_seconds));
  if (name === "regular_lengths") return text.marks.regular_lengths(each.intervals, equal, hms(length));
  return text.marks.high_manual_share(Math.round(permille / 10));
}

function card(name, title, ...tools) {
  const heading = h("h2", { id: name, tabindex: "-1" }, title);
  const place = h("div", { class: "stackup" });
  const root = h("section", { class: "card", "aria-labelledby": name }, h("header", {}, heading, tools), place);
  return { root, heading, place };
}

const none = (said) => () => h("p", { class: "muted" }, said);
