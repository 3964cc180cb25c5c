import { bdi, h } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { dayAndTime, ownZone } from "../words/time.js";

const text = words.directory;

/** What became of a request to join a group; null once it was accepted or withdrawn. */
export function requestChip({ state, asked_at: asked, answered_at: answered }) {
  if (state === "open") return h("span", { class: "chip honey" }, text.asked(dayAndTime(asked, ownZone())));
  if (state === "declined") return h("span", { class: "chip" }, text.declined(dayAndTime(answered, ownZone())));
  return null;
}

/** The reader's latest request to each group; null without any that is open or declined. */
export function ownRequests(requests) {
  const latest = requests.filter(({ group }, index) => requests.findIndex((each) => each.group.id === group.id) === index);
  const shown = latest.filter(requestChip);
  if (shown.length === 0) return null;
  const row = (request) => h("li", {}, h("span", { class: "nick" }, bdi(request.group.name)), h("p", {}, requestChip(request)));
  return h(
    "section",
    { class: "card", "aria-labelledby": "own-requests" },
    h("header", {}, h("h2", { id: "own-requests" }, text.own), h("a", { class: "small", href: "/groups/find" }, text.title)),
    h("ul", { class: "acts-kept" }, shown.map(row)),
  );
}
