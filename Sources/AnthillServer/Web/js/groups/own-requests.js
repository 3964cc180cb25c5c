import { asking } from "../parts/asking.js";
import { bdi, h } from "../parts/dom.js";
import { remove } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndTime, ownZone } from "../words/time.js";

const text = words.directory;

/** What became of a request to join a group; null once it was accepted or withdrawn. */
export function requestChip({ state, asked_at: asked, answered_at: answered }) {
  if (state === "open") return h("span", { class: "chip honey" }, text.asked(dayAndTime(asked, ownZone())));
  if (state === "declined") return h("span", { class: "chip" }, text.declined(dayAndTime(answered, ownZone())));
  return null;
}

/** An open request of the reader, which they can withdraw; calls `changed()` after that. */
export function openRequest(request, changed) {
  const withdraw = async () => {
    await remove(`/me/join-requests/${request.id}`);
    announce(text.withdrawn);
    await changed();
  };
  return h("div", { class: "btns" }, requestChip(request), asking(text.withdraw, text.withdrawAsk, withdraw));
}

/** The reader's latest request to each group; null without any that is open or declined. */
export function ownRequests(requests) {
  const latest = requests.filter(({ group }, index) => requests.findIndex((each) => each.group.id === group.id) === index);
  const shown = latest.filter(requestChip);
  if (shown.length === 0) return null;
  const row = (request) => {
    const gone = () => {
      line.remove();
      root.hidden = list.children.length === 0;
    };
    const standing = request.state === "open" ? openRequest(request, gone) : h("p", {}, requestChip(request));
    const line = h("li", {}, h("span", { class: "nick" }, bdi(request.group.name)), standing);
    return line;
  };
  const list = h("ul", { class: "acts-kept" }, shown.map(row));
  const root = h(
    "section",
    { class: "card", "aria-labelledby": "own-requests" },
    h("header", {}, h("h2", { id: "own-requests" }, text.own), h("a", { class: "small", href: "/groups/find" }, text.title)),
    list,
  );
  return root;
}
