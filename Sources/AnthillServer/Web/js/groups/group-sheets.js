import { remember } from "../device/memory.js";
import { asking } from "../parts/asking.js";
import { bdi, button, face, h, nodes, redraw } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { helpLink } from "../parts/help-link.js";
import { paged } from "../parts/paged.js";
import { segmented } from "../parts/segmented.js";
import { sheet } from "../parts/sheet.js";
import { get, getAll, patch, post, remove } from "../server/api.js";
import { announce, fill, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { language } from "../words/language.js";
import { dayAndTime, ownZone } from "../words/time.js";
import { finder } from "./finder.js";

const pageSize = 100;
const roles = Object.keys(words.groups.roles);

/** A sheet with the members and what the reader may do about them; calls `changed()` after each change. */
export function members(group, user, changed) {
  const mine = h("section", { class: "stackup", "aria-labelledby": "my-place" });
  const out = h("div");
  const list = h("div");
  const bans = h("div");
  const told = h("p", { class: "hint", role: "status" });
  let named = "";
  const showList = () => {
    const load = async (after) => {
      const page = await get(`/groups/${group.id}/members?limit=${pageSize}&q=${encodeURIComponent(named)}${after}`);
      // Several pages keep the service's order, the longest-standing first.
      if (!after && !page.next) page.items.sort(byRoleAndName);
      const count = named && !after && words.groups.found(page.items.length, page.next !== null);
      if (!after) redraw(told, count, () => count);
      if (!named && !after) out.replaceChildren(leaving(group, page));
      return page;
    };
    return fill(list, () =>
      paged(
        load,
        (member) => row(member, group, user, again),
        () => [],
        "set people",
      ),
    );
  };
  const find = (text) => {
    named = text;
    showList();
  };
  const search = group.member_count > pageSize && h("div", { class: "field" }, finder(find), told);
  sheet(words.groups.members, mine, search, list, bans);
  const show = () => {
    mine.replaceChildren(...ownPlace(group, () => Promise.all([changed(), showList()])), out);
    return showList();
  };
  const again = async (told) => {
    announce(told);
    await changed();
    await show();
    if (group.my_role === "member") bans.replaceChildren();
    else showBans();
  };
  const showBans = () => fill(bans, () => banned(group, again));
  show();
  if (group.my_role !== "member") showBans();
}

const byRoleAndName = (a, b) => roles.indexOf(a.role) - roles.indexOf(b.role) || a.nickname.localeCompare(b.nickname, language);

/** How others see me. */
function ownPlace(group, changed) {
  const text = words.groups;
  const trouble = h("div", { role: "alert" });
  const hint = h("p", { class: "small muted" }, text.visibilityHints[group.my_visibility]);
  const choose = async (visibility) => {
    trouble.replaceChildren();
    try {
      await patch(`/groups/${group.id}/members/me`, { visibility });
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
      return false;
    }
    hint.textContent = text.visibilityHints[visibility];
    announce(text.saved);
    await changed();
  };
  return [
    h("h3", { id: "my-place" }, text.visibility),
    segmented("visibility", text.visibility, Object.entries(text.visibilities), group.my_visibility, choose),
    hint,
    helpLink("privacy"),
    trouble,
  ];
}

/** The button to leave; the only owner reads what to do first. */
function leaving(group, { items, next }) {
  const text = words.groups;
  if (group.my_role === "owner" && !next && items.filter(({ role }) => role === "owner").length === 1) {
    return h("p", { class: "small muted" }, text.onlyOwner);
  }
  const leave = async () => {
    await remove(`/groups/${group.id}/members/me`);
    remember("group", null);
    location.assign("/groups#left");
  };
  return asking(text.leave, text.leaveAsk, leave, { className: "btn quiet small" });
}

function row(member, group, user, again) {
  const text = words.groups;
  const isMe = member.uid === user.uid;
  const acts = isMe ? [] : deeds(member, group, again);
  const folded = h("div", { class: "deeds", hidden: true, id: `deeds-${member.uid}` }, acts);
  const open = button(
    text.manage,
    () => {
      folded.hidden = !folded.hidden;
      open.setAttribute("aria-expanded", String(!folded.hidden));
    },
    "btn text small",
    { "aria-expanded": "false", "aria-controls": folded.id, "aria-label": text.manageLabel(member.nickname) },
  );
  return h(
    "li",
    {},
    face(member),
    h(
      "div",
      { class: "l" },
      h("span", { class: "nick" }, bdi(member.nickname), isMe && h("span", { class: "chip me" }, words.board.me)),
      h("span", { class: "hint" }, text.roles[member.role], member.visibility === "hidden" && ` · ${text.visibilities.hidden}`),
    ),
    acts.length > 0 && [h("div", { class: "c" }, open), folded],
  );
}

/** What the reader may do about another member, depending on both roles. */
function deeds(member, group, again) {
  const text = words.groups;
  const { uid, nickname: name, role } = member;
  const path = `/groups/${group.id}/members/${uid}`;
  const isOwner = group.my_role === "owner";
  const become = (wanted) => async () => {
    await patch(path, { role: wanted });
    await again(text.nowIs(name, text.roles[wanted]));
  };
  const handOn = async () => {
    await post(`/groups/${group.id}/transfer`, { uid });
    await again(text.nowIs(name, text.roles.owner));
  };
  const out = (query, told) => async () => {
    await remove(path + query);
    await again(told(name));
  };
  const change = (label, question, act) => asking(label, question, act, { className: "btn quiet small" });
  return nodes([
    isOwner && role === "member" && change(text.promote, text.promoteAsk(bdi(name)), become("admin")),
    isOwner && role !== "member" && change(text.demote, text.demoteAsk(bdi(name)), become("member")),
    isOwner && role !== "owner" && change(text.coOwner, text.coOwnerAsk(bdi(name)), become("owner")),
    isOwner && role !== "owner" && change(text.handOn, text.handOnAsk(bdi(name)), handOn),
    (isOwner || (group.my_role === "admin" && role === "member")) && [
      h("a", { class: "btn quiet small", href: `/groups/${group.id}/fairness#${uid}` }, text.suspend),
      change(text.remove, text.removeAsk(bdi(name)), out("", text.removed)),
      change(text.ban, text.banAsk(bdi(name)), out("?ban=true", text.wasBanned)),
    ],
  ]);
}

/** Banned people; nothing if there are none. */
async function banned(group, again) {
  const text = words.groups;
  const all = await getAll(`/groups/${group.id}/bans`);
  if (all.length === 0) return [];
  const row = ({ uid, nickname, banned_at: when }) => {
    const lift = async () => {
      await remove(`/groups/${group.id}/bans/${uid}`);
      await again(text.lifted(nickname));
    };
    const attributes = { "aria-label": text.liftLabel(nickname) };
    return h(
      "li",
      {},
      h("div", { class: "l" }, bdi(nickname), h("span", { class: "hint" }, dayAndTime(when, ownZone()))),
      h("div", { class: "c" }, asking(text.lift, text.liftAsk(bdi(nickname)), lift, { attributes })),
    );
  };
  return h(
    "section",
    { class: "endings", "aria-labelledby": "bans" },
    h("h3", { id: "bans" }, text.bans),
    h("ul", { class: "set" }, all.map(row)),
  );
}
