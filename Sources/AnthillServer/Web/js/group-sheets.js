import { get, postOnce, remove } from "./api.js";
import { bdi, button, face, h, icon, nodes } from "./dom.js";
import { said } from "./form.js";
import { words } from "./i18n.js";
import { remember } from "./memory.js";
import { announce, fill, notice } from "./notices.js";
import { sheet } from "./sheet.js";
import { dayAndTime, ownZone } from "./time.js";

/** A sheet with a new link into the group, to copy or share. */
export function invite(group) {
  const place = h("div", { class: "form" });
  sheet(words.groups.invite, h("p", { class: "muted" }, words.groups.inviteLead), place);
  fill(place, async () => {
    const { url, expires_at: end } = await postOnce(`/groups/${group.id}/invitations`);
    const link = h(
      "input",
      { class: "in", id: "invitation", readonly: true, value: url, onfocus: () => link.select() },
    );
    const done = h("p", { class: "small muted", role: "status" });
    const copy = async () => {
      done.textContent = (await copied(link)) ? words.groups.copied : words.groups.copyByHand;
    };
    const send = () => navigator.share({ url }).catch(() => {});
    const share = navigator.share && button([icon("share"), words.groups.share], send, "btn quiet wide");
    return nodes([
      h(
        "div",
        { class: "field" },
        h("label", { for: "invitation" }, words.groups.link),
        link,
        h("p", { class: "hint" }, words.groups.lasts(dayAndTime(end, ownZone()))),
      ),
      button([icon("copy"), words.groups.copy], copy, "btn wide"),
      share,
      done,
    ]);
  });
}

/** The clipboard is for secure origins only; elsewhere the old way works. */
async function copied(link) {
  try {
    await navigator.clipboard.writeText(link.value);
    return true;
  } catch {
    link.focus();
    link.select();
    return document.execCommand("copy");
  }
}

/** A sheet with everyone in the group: oneself may leave, admins may take others out. */
export function members(group, user) {
  const place = h("div");
  sheet(words.groups.members, place);
  const show = () =>
    fill(place, async () => {
      const all = await everyone(group.id);
      const list = h("ul", { class: "set people" }, all.map((member) => row(member, group, user, show)));
      return list;
    });
  show();
}

async function everyone(id) {
  const all = [];
  for (let next = ""; next !== null; ) {
    const page = await get(`/groups/${id}/members?limit=200${next && `&after=${encodeURIComponent(next)}`}`);
    all.push(...page.items);
    next = page.next;
  }
  return all;
}

function row(member, group, user, again) {
  const mine = member.uid === user.uid;
  const mayRemove = group.my_role === "owner" || (group.my_role === "admin" && member.role === "member");
  const go = async (question) => {
    try {
      await remove(`/groups/${group.id}/members/${member.uid}`);
    } catch (problem) {
      question.append(notice("apple", "info", null, said(problem), { role: "alert" }));
      return;
    }
    if (mine) {
      remember("group", null);
      location.assign("/groups");
    } else {
      announce(words.groups.removed(member.nickname));
      again();
    }
  };
  const ask = ({ currentTarget: asked }) => {
    const question = h(
      "div",
      { class: "ask" },
      h("p", {}, mine ? words.groups.leaveAsk : words.groups.removeAsk(bdi(member.nickname))),
    );
    const sure = button(mine ? words.groups.leave : words.groups.remove, () => go(question), "btn danger small");
    const no = button(words.cancel, () => question.replaceWith(asked), "btn text small");
    question.append(h("div", { class: "btns" }, sure, no));
    asked.replaceWith(question);
    sure.focus();
  };
  const label = mine ? {} : { "aria-label": words.groups.removeLabel(member.nickname) };
  const may = mine ? words.groups.leave : mayRemove && words.groups.remove;
  return h(
    "li",
    {},
    face(member),
    h(
      "div",
      { class: "l" },
      h("span", { class: "nick" }, bdi(member.nickname), mine && h("span", { class: "chip me" }, words.board.me)),
      h("span", { class: "hint" }, words.groups.roles[member.role]),
    ),
    may && h("div", { class: "c" }, button(may, ask, "btn text small", label)),
  );
}
