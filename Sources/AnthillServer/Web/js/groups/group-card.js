import { button, h, icon, nodes, redraw } from "../parts/dom.js";
import { bar } from "../parts/hues.js";
import { get } from "../server/api.js";
import { notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { monthTitle, studyDay } from "../words/time.js";
import { groupName } from "./group-face.js";
import { groupSettings } from "./group-settings.js";
import { members } from "./group-sheets.js";
import { invitations } from "./invite-sheet.js";

/**
 * A group on its page: `heading` is its name, `root` the card with its description, goal and buttons. The sheets update
 * both and `group`, then call `changed()`. `renew()` loads the group again.
 */
export function groupCard(group, user, changed) {
  const heading = h("h1", {});
  const root = h("section", { class: "card", "aria-labelledby": "group" });
  const show = () => {
    heading.replaceChildren(...groupName(group));
    redraw(root, group, () => [content(group), deeds(group, user, renew)]);
  };
  const renew = async () => {
    const fresh = await get(`/groups/${group.id}`);
    for (const name of Object.keys(group)) delete group[name];
    Object.assign(group, fresh);
    show();
    await changed();
  };
  show();
  return { heading, root, renew };
}

/** For the admins of a group that has nobody else yet: what to do next. */
export function firstSteps(group) {
  const text = words.groups.alone;
  return h(
    "section",
    { class: "card above stackup", "aria-labelledby": "alone" },
    h("h2", { id: "alone" }, text.title),
    h(
      "ol",
      { class: "steps" },
      text.steps.map((step) => h("li", {}, step)),
    ),
    h(
      "p",
      { class: "btns" },
      button([icon("share"), text.invite], () => invitations(group)),
    ),
  );
}

function content(group) {
  return [
    h("header", {}, h("h2", { id: "group" }, words.groups.one), h("a", { class: "small", href: "/groups" }, words.groups.all)),
    group.description && h("p", { class: "muted small about" }, group.description),
    group.month_goal && goal(group),
    group.duel && amongGroups(group),
    group.months_public && inPublic(words.groups.monthsArePublic, `/groups/${group.id}/months`, words.groups.publicMonths),
    group.board_public && inPublic(words.groups.boardIsPublic, `/groups/${group.id}/embed`, words.groups.publicBoard),
  ];
}

function deeds(group, user, changed) {
  const isAdmin = group.my_role !== "member";
  const open = (name, label, act, look = "text") =>
    button([icon(name), label], act, `btn ${look} small wide`, { "data-key": `deed-${name}` });
  return h(
    "div",
    { class: "stackup" },
    isAdmin && open("share", words.groups.invite, () => invitations(group), "quiet"),
    open("people", words.groups.members, () => members(group, user, changed)),
    isAdmin && open("pencil", words.groups.settings, () => groupSettings(group, changed)),
    isAdmin && h("a", { class: "btn text small wide", href: `/groups/${group.id}/fairness` }, icon("seal"), words.fairness.title),
  );
}

function goal({ month_goal: { seconds, reached_seconds: reached } }) {
  const share = reached / seconds;
  return h(
    "div",
    { class: "aim" },
    h(
      "p",
      { class: "small" },
      words.groups.goalReached(words.duration(reached), words.duration(seconds), Math.floor(share * 100)),
    ),
    bar(share),
  );
}

/** The group's rank among groups, once it is loaded. */
function amongGroups({ id }) {
  const standing = h("span", { class: "muted" });
  get("/leaderboard/groups?limit=1")
    .then(({ mine }) => {
      const own = mine.find(({ group, mean_seconds: mean }) => group.id === id && mean > 0);
      const text = own ? words.beside.standing(own.rank, words.duration(own.mean_seconds)) : words.beside.notYet;
      standing.replaceChildren(" ", ...nodes([text]));
    })
    .catch(() => {});
  return h("p", { class: "small among" }, h("a", { href: "/board/groups" }, words.beside.title), standing);
}

/** What members are told of what everybody may read. */
const inPublic = (told, page, name) => h("p", { class: "small" }, told, " ", h("a", { href: page }, name));

/** Shown above the current board: announced rules that have not taken effect. */
export function comingRules(group, board) {
  return group.coming_rules.map((next) => {
    const month = monthTitle(next.from_month, studyDay(board.as_of, group.rules));
    return notice("leaf", "calendar", words.groups.coming(month), words.rules.inShort(next));
  });
}
