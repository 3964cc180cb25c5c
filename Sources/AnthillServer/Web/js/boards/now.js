import { bdi, face, h, nodes } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { hms } from "../words/time.js";
import { live } from "./live.js";

/** The contents of the card with the members who are studying now. */
export function studyingNow({ entries, next }, user) {
  const active = entries.filter(({ studying }) => studying);
  const some = next ? words.board.someStudy : words.board.nowStudying(active.length);
  const title = active.length > 0 ? some : words.board.nobodyStudies;
  const row = (entry) =>
    h(
      "li",
      {},
      face(entry),
      h("span", { class: "nick" }, bdi(entry.nickname), entry.uid === user.uid && ` (${words.board.me})`),
      h("span", { class: "muted num nowrap small", "aria-hidden": "true", ...live(entry, "hms") }, hms(entry.seconds)),
      h("span", { class: "vh", ...live(entry, "said") }, words.duration(entry.seconds)),
    );
  const faces = h(
    "div",
    { class: "stack only-phone", "aria-hidden": "true" },
    active.slice(0, 5).map((entry) => face(entry)),
  );
  return nodes([
    h("header", {}, h("h2", { id: "now" }, title), active.length > 0 && faces),
    active.length > 0 && h("ul", { class: "now only-wide" }, active.slice(0, 8).map(row)),
  ]);
}
