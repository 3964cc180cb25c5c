import { groupName } from "../js/groups/group-face.js";
import { openRequest, requestChip } from "../js/groups/own-requests.js";
import { bdi, button, h, icon, redraw, scene } from "../js/parts/dom.js";
import { field, form, input } from "../js/parts/form.js";
import { paged } from "../js/parts/paged.js";
import { sheet } from "../js/parts/sheet.js";
import { get, post } from "../js/server/api.js";
import { serverNow } from "../js/server/clock.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, empty, fill } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";
import { numbers } from "../js/words/numbers.js";
import { dayAndTime, ownZone } from "../js/words/time.js";

const text = words.directory;

memberPage({ title: text.title, current: "board" }, async (main) => {
  const list = h("div");
  const control = input({ type: "search", required: false, maxlength: 100, autocomplete: "off" });
  control.value = new URLSearchParams(location.search).get("q") ?? "";
  const told = h("p", { class: "vh", role: "status" });
  let timer;
  control.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, 300);
  });
  const find = () => {
    const q = control.value.trim();
    history.replaceState(null, "", q ? `?${new URLSearchParams({ q })}` : location.pathname);
    const load = async (after) => {
      const page = await get(`/directory?limit=20&q=${encodeURIComponent(q)}${after}`);
      const { length } = page.items;
      const count = q && (length > 0 ? text.found(length) : text.noneFound);
      if (!after) redraw(told, count, () => count);
      return page;
    };
    const nothing = () => empty(scene("empty"), text.none, q ? text.noneFound : text.noneListed);
    return fill(list, () => paged(load, (group) => card(group, find), nothing, "cards"));
  };
  main.append(
    h("div", { class: "head" }, h("h1", {}, text.title), h("a", { class: "btn text end", href: "/groups" }, words.groups.title)),
    h("div", { class: "finding" }, h("p", { class: "muted" }, text.lead), field("q", text.search, control).root, told, list),
  );
  await find();
});

function card(group, changed) {
  const { name, description, member_count: count, mean_seconds: mean, rules } = group;
  return h(
    "li",
    { class: "card" },
    h("h2", {}, group.is_member ? h("a", { href: `/groups/${group.id}` }, groupName(group)) : groupName(group)),
    description && h("p", { class: "muted small about", dir: "auto" }, bdi(description)),
    h(
      "p",
      { class: "small muted facts" },
      words.groups.members_count(count),
      " · ",
      words.groups.clock(rules.day_starts_at, rules.time_zone),
      mean !== null && [" · ", text.each(words.duration(mean))],
    ),
    standing(group, name, changed),
  );
}

/** Where the reader stands with a group, and what they can do. */
function standing({ id, is_member: isMember, my_request: request }, name, changed) {
  if (isMember) return h("p", {}, h("span", { class: "chip leaf" }, text.member));
  if (request?.state === "open") return openRequest(request, changed);
  const again =
    request?.state === "declined" ? Date.parse(request.answered_at) + numbers.join_request_pause_days * 86_400_000 : 0;
  return h(
    "div",
    { class: "btns" },
    request && requestChip(request),
    again > serverNow()
      ? h("p", { class: "small muted" }, text.again(dayAndTime(again, ownZone())))
      : button([icon("plus"), text.ask], () => ask(id, name, changed), "btn quiet small", { "aria-label": text.askLabel(name) }),
  );
}

/** The sheet to ask to join a group. */
function ask(id, name, changed) {
  const area = h("textarea", { class: "in", maxlength: numbers.most_notice_characters, rows: 3 });
  const send = async ({ text: said }) => {
    await post(`/groups/${id}/join-requests`, said.trim() ? { text: said } : {});
    close();
    announce(text.sent);
    await changed();
  };
  const close = sheet(
    text.ask,
    h("p", {}, text.askLead(bdi(name))),
    form([field("text", text.words, area, text.wordsHint)], text.send, send),
  );
}
