import { liveSeconds } from "../boards/live.js";
import { facesOf, sittings, sittingTime } from "../boards/now.js";
import { stampOf } from "../calendar/day-look.js";
import { art, bdi, button, face, h, icon, nodes, redraw } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { hue } from "../parts/hues.js";
import { get, post } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndTime, hm, ownZone, timeOfDay } from "../words/time.js";
import { cycleLine } from "./cycle.js";
import { cycleSheet, noticeSheet } from "./room-sheets.js";

/** How many members are shown before one asks for all. A phone shows none then, so that the board begins on its screen. */
const few = 4;
const path = (group) => `/groups/${group.id}/today?limit=200`;

/** Today in a group: its notice, its cycle, and its members as a grid. `refresh()` loads it again. */
export function groupRoom(group, user) {
  const content = h("div", { class: "room" });
  const trouble = h("div", { role: "alert" });
  const root = h("section", { class: "card above", "aria-labelledby": "room" }, content, trouble);
  const count = liveSeconds("sitting");
  let isOpen = false;
  let room;
  let turn;

  const refresh = async () => {
    room = await get(path(group));
    show();
    clearTimeout(turn);
    if (!room.cycle) return;
    // A cycle turns on time, not at the next look.
    const left = Date.parse(room.cycle.ends_at) - Date.parse(room.as_of);
    turn = setTimeout(() => refresh().catch(() => {}), left + 500);
  };
  const cheer = async (member) => {
    try {
      await post(`/groups/${group.id}/cheers`, { uid: member.uid });
      announce(words.room.cheered(member.nickname));
      trouble.replaceChildren();
      await refresh();
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
    }
  };
  const unfold = () => {
    isOpen = !isOpen;
    show();
  };

  function show() {
    const { members, studying } = room;
    // One member is always shown.
    const canFold = members.length > 1;
    const isAll = isOpen || !canFold;
    const isAdmin = group.my_role !== "member";
    const shown = isAll ? members : members.slice(0, few);
    const faces = !isAll && facesOf(members.filter(({ sitting }) => sitting));
    const folded = isAll ? "" : " folded";
    redraw(content, [room, isOpen], () => [
      room.notice && noticeOf(room.notice),
      room.cycle && cycleLine(room, user, trouble),
      h("header", {}, h("h2", { id: "room" }, words.room.studying(studying)), faces, received(room.cheers)),
      h(
        "ul",
        { class: `grid${folded}`, id: "room-members" },
        shown.map((member) => tile(member, user, room, cheer)),
      ),
      (canFold || isAdmin) && h("div", { class: "btns" }, canFold && folding(), isAdmin && forAdmins()),
      isAll && rest(room),
    ]);
    count(sittings(room));
  }

  const folding = () =>
    button(
      isOpen ? words.room.fewer : words.room.all(room.members.length),
      unfold,
      `btn text small${room.members.length > few ? "" : " only-phone"}`,
      {
        "aria-expanded": String(isOpen),
        "aria-controls": "room-members",
        "data-key": "room-all",
      },
    );

  const forAdmins = () => [
    button(
      [icon("pencil"), room.notice ? words.room.editNotice : words.room.writeNotice],
      () => noticeSheet(group, room.notice, refresh),
      "btn text small",
      { "data-key": "room-notice" },
    ),
    button(
      [icon("clock"), room.cycle ? words.room.changeCycle : words.room.setCycle],
      () => cycleSheet(group, room.cycle, refresh),
      "btn text small",
      { "data-key": "room-cycle" },
    ),
  ];

  return { root, refresh };
}

const noticeOf = ({ text, written_by: by, written_at: at }) =>
  h(
    "div",
    { class: "notice leaf" },
    art("i-bell", "i"),
    h(
      "div",
      {},
      h("p", { class: "about", dir: "auto" }, bdi(text)),
      h("p", { class: "xs muted" }, by ? bdi(by.nickname) : words.fairness.gone, " · ", dayAndTime(at, ownZone())),
    ),
  );

/** Who has cheered the reader today. */
function received({ received: number, from }) {
  if (number === 0) return null;
  const names = from.slice(0, 3).map(({ nickname }) => nickname);
  return h("p", { class: "small muted" }, words.room.received(number, names));
}

function tile(member, user, room, cheer) {
  const { uid, sitting, seconds, ants } = member;
  const isMe = uid === user.uid;
  const stamp = stampOf({ ...ants, perfect: ants.study && ants.wake_up });
  return h(
    "li",
    {},
    face(member, sitting ? "on" : ""),
    h(
      "div",
      { class: "l" },
      h("span", { class: "nick" }, bdi(member.nickname), isMe && h("span", { class: "chip me" }, words.board.me)),
      h("span", { class: "xs muted" }, sitting ? doing(sitting, seconds) : words.room.today(hm(seconds))),
    ),
    stamp && art(`stamp-${stamp}-s`, "a-20", words.ants[stamp]),
    sitting && sittingTime(member),
    isMe ? null : cheering(member, room, cheer),
  );
}

/** What a member who studies is doing, and what they did today. */
const doing = ({ since, subject }, seconds) => [
  words.room.since(timeOfDay(since, ownZone())),
  subject && [" ", h("span", { class: "with-hue" }, hue(subject.colour), bdi(subject.name))],
  " ·\u00a0",
  words.room.today(hm(seconds)),
];

function cheering(member, room, cheer) {
  const drawnAs = `cheer-${member.uid}`;
  if (member.cheered) return h("span", { class: "chip leaf", tabindex: "-1", "data-key": drawnAs }, words.room.hasCheered);
  if (room.cheers.left === 0) return null;
  const label = words.room.cheerLabel(member.nickname);
  return button(words.room.cheer, () => cheer(member), "btn quiet small", { "aria-label": label, "data-key": drawnAs });
}

/** Who is not in the grid. */
const rest = ({ members, shown_count: shown, hidden_count: hiding }) =>
  nodes([
    shown > members.length && h("p", { class: "small muted" }, words.room.more(shown - members.length)),
    hiding > 0 && h("p", { class: "small muted" }, words.room.hiding(hiding)),
  ]);
