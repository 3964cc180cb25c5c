import { asking } from "../parts/asking.js";
import { bdi, button, h } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { get, put } from "../server/api.js";
import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndTime, ownZone } from "../words/time.js";

const text = words.directory;

/** For admins of a group: how many ask to join it, with the way to their answer; null without any. */
export function requestsWaiting({ id, open_join_requests: count }) {
  if (!count) return null;
  const link = h("a", { href: `/groups/${id}#requests` }, text.requests(count));
  return h("p", { class: "small" }, h("span", { class: "chip honey" }, link));
}

/** The open requests to join a group, for its admins; empty if there are none. `refresh()` loads them again. */
export function joinRequests(group, changed) {
  const root = h("section", { class: "card above", "aria-labelledby": "requests", hidden: true });
  const trouble = h("div", { role: "alert" });
  const heading = h("h2", { id: "requests", tabindex: "-1" });
  const list = h("ul", { class: "set people" });
  root.append(h("header", {}, heading), list, trouble);
  let lines = new Map();
  const refresh = async () => {
    if (group.my_role === "member") return;
    const { items } = await get(`/groups/${group.id}/join-requests`);
    root.hidden = items.length === 0;
    heading.textContent = text.requests(items.length);
    // What is there already stays, with a question that is open.
    const before = lines;
    lines = new Map();
    for (const request of items) {
      const key = JSON.stringify(request);
      lines.set(key, before.get(key) ?? list.appendChild(row(request)));
    }
    for (const [key, line] of before) if (!lines.has(key)) line.remove();
  };
  const answer = async (request, accepted) => {
    try {
      await put(`/groups/${group.id}/join-requests/${request.id}/answer`, { accepted });
      announce(accepted ? text.accepted(request.nickname) : text.wasDeclined(request.nickname));
    } catch (problem) {
      // Another admin answered, or the request was withdrawn.
      if (problem.status !== 404) throw problem;
      announce(said(problem));
    }
    await refresh();
    document.getElementById("requests")?.focus();
    await changed();
  };
  const accept = async (request) => {
    trouble.replaceChildren();
    try {
      await answer(request, true);
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      trouble.replaceChildren(notice("apple", "info", null, said(problem)));
    }
  };
  const row = (request) =>
    h(
      "li",
      {},
      h(
        "div",
        { class: "l" },
        h("span", { class: "nick" }, bdi(request.nickname)),
        request.text && h("p", { class: "small about", dir: "auto" }, bdi(request.text)),
        h("span", { class: "hint" }, dayAndTime(request.asked_at, ownZone())),
      ),
      h(
        "div",
        { class: "deeds" },
        button(text.accept, () => accept(request), "btn small", {
          "aria-label": text.acceptLabel(request.nickname),
        }),
        asking(text.decline, text.declineAsk(bdi(request.nickname)), () => answer(request, false), {
          className: "btn quiet small",
          attributes: { "aria-label": text.declineLabel(request.nickname) },
        }),
      ),
    );
  return { root, refresh };
}
