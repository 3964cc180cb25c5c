import { bdi, face, h, nodes } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { hms } from "../words/time.js";
import { live } from "./live.js";

/** What `liveSeconds("sitting")` counts in a group's room: how long each member has studied in this sitting. */
export const sittings = ({ day, ends_at: end, as_of: now, members }) => ({
  ...{ starts_at: day, ends_at: end, as_of: now, state: "open" },
  entries: members.map(({ uid, sitting }) => ({ uid, seconds: sitting?.seconds ?? 0, studying: sitting !== null })),
});

/** The time of this sitting, of a member who is studying. */
export const sittingTime = ({ uid, sitting: { seconds } }, className = "num") => [
  h("span", { class: className, "aria-hidden": "true", ...live({ uid, studying: true }, "hms", "sitting") }, hms(seconds)),
  h("span", { class: "vh" }, words.room.sitting(words.duration(seconds))),
];

/** The faces of members who are studying, for a phone, where there is no room for more. */
export const facesOf = (active) =>
  active.length > 0 &&
  h(
    "div",
    { class: "stack only-phone", "aria-hidden": "true" },
    active.slice(0, 5).map((member) => face(member)),
  );

/** The contents of the card with the members who are studying now. */
export function studyingNow({ members, studying }, user) {
  const active = members.filter(({ sitting }) => sitting);
  const row = (member) =>
    h(
      "li",
      {},
      face(member),
      h("span", { class: "nick" }, bdi(member.nickname), member.uid === user.uid && ` (${words.board.me})`),
      sittingTime(member, "muted num nowrap small"),
    );
  return nodes([
    h("header", {}, h("h2", { id: "now" }, words.room.studying(studying)), facesOf(active)),
    active.length > 0 && h("ul", { class: "now only-wide" }, active.slice(0, 8).map(row)),
  ]);
}
