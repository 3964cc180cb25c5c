import { explain } from "../boards/explain-sheet.js";
import { art, b, bdi, button, h, icon } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, post, put } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { addDays, dayAndTime, instantAt, rfc3339, studyDay } from "../words/time.js";
import { finder } from "./finder.js";

/** A member's name in a sentence, or that the account was deleted. */
export const called = (person) => (person?.nickname ? words.fairness.called(bdi(person.nickname)) : words.fairness.gone);

/** A quoted text with its line breaks. */
export const quote = (text) => h("blockquote", {}, text);

/**
 * The notice for a suspended member on the group's page: why, until when, and a reply. Null for everyone else.
 * `changed()` is called after a reply; `board()` is the board to explain.
 */
export function ownSuspension(group, board, changed) {
  const suspension = group.my_suspension;
  if (!suspension) return null;
  const text = words.fairness;
  const { reason, until, answer, suspended_by: by } = suspension;
  return h(
    "section",
    { class: "notice honey suspended", "aria-labelledby": "suspended" },
    art("i-info", "i"),
    h(
      "div",
      {},
      h("h2", { id: "suspended", tabindex: "-1" }, text.mineTitle),
      h("p", {}, text.mineUntil(b(dayAndTime(until, group.rules.time_zone)))),
      h("p", { class: "small" }, text.mineReason(called(by))),
      quote(reason),
      answer && [h("p", { class: "small" }, text.mineAnswer), quote(answer)],
      h("p", { class: "small" }, text.mineMeaning),
      h(
        "div",
        { class: "btns" },
        button(answer ? text.answerAgain : text.answer, () => answering(group, suspension, changed), "btn small"),
        button(text.mineTime, () => explain(group.id, board()), "btn quiet small"),
      ),
    ),
  );
}

/** The sheet in which the member replies. */
function answering(group, { id, answer }, changed) {
  const text = words.fairness;
  const reply = field("answer", text.answerLabel, lines(answer ?? ""), text.answerHint);
  const send = async (values) => {
    await put(`/groups/${group.id}/suspensions/${id}/answer`, values);
    close();
    announce(text.answered);
    await changed();
  };
  const close = sheet(text.answer, form([reply], text.answerSend, send));
}

/**
 * The sheet in which an admin suspends a member: `member` if given, otherwise chosen there. Then calls `changed(told)`.
 */
export async function suspending(group, user, member, changed) {
  const text = words.fairness;
  const page = member ? { items: [member], next: null } : await someMembers(group);
  const mayChoose = ({ uid, role }) => uid !== user.uid && (group.my_role === "owner" || role === "member");
  if (!page.next && !page.items.some(mayChoose)) return void sheet(text.suspend, h("p", {}, text.nobodyElse));
  const list = h("select", { class: "in", required: true });
  const offer = ({ items }) => {
    const chosen = list.value;
    const people = items.filter(mayChoose);
    list.replaceChildren(...people.map(({ uid, nickname }) => h("option", { value: uid }, nickname)));
    if (people.some(({ uid }) => uid === chosen)) list.value = chosen;
    return people.length;
  };
  offer(page);
  const told = h("p", { class: "hint", role: "status" });
  let sought;
  const find = async (named) => {
    sought = named;
    try {
      const found = await someMembers(group, named);
      if (named === sought) told.textContent = words.groups.found(offer(found), found.next !== null);
    } catch (problem) {
      told.textContent = said(problem);
    }
  };
  const who = field("uid", text.who, h("div", { class: "sel" }, list, icon("down")));
  const reason = field("reason", text.reason, lines(""), text.reasonHint);
  const { rules } = group;
  const today = studyDay(Date.now(), rules);
  const ends = () => instantAt(until.input.value, rules.day_starts_at, rules.time_zone);
  const until = field(
    "until",
    text.until,
    input({
      type: "date",
      min: addDays(today, 1),
      max: addDays(today, numbers.longest_suspension_days),
      value: addDays(today, 7),
    }),
    " ",
  );
  const tell = () => {
    const isDay = until.input.value && until.input.validity.valid;
    until.root.querySelector(".hint").textContent = isDay ? text.untilHint(dayAndTime(ends(), rules.time_zone)) : "";
  };
  const quick = presets(until.input, today, tell);
  until.input.parentElement.insertBefore(quick, until.input.nextSibling);
  tell();
  const store = async (values) => {
    const [{ text: name }] = list.selectedOptions;
    await post(`/groups/${group.id}/suspensions`, { ...values, until: rfc3339(ends()) });
    close();
    await changed(text.isSuspended(name));
  };
  const close = sheet(
    text.suspend,
    h(
      "ul",
      { class: "points" },
      text.suspendMeans.map((each) => h("li", {}, each)),
    ),
    page.next && h("div", { class: "field before-form" }, finder(find), told),
    form([who, reason, until], text.suspendSubmit, store),
  );
}

/** The longest-standing members whose nickname contains the text, one page of them. */
const someMembers = (group, named = "") => get(`/groups/${group.id}/members?limit=200&q=${encodeURIComponent(named)}`);

/** Three, seven or thirty days at a tap. */
function presets(day, today, changed) {
  const all = [3, 7, 30].map((days) => {
    const choose = () => {
      day.value = addDays(today, days);
      mark();
    };
    return { days, root: button(words.fairness.days(days), choose, "btn quiet small") };
  });
  const mark = () => {
    for (const { days, root } of all) root.setAttribute("aria-pressed", String(day.value === addDays(today, days)));
    changed();
  };
  day.addEventListener("input", mark);
  for (const { days, root } of all) root.setAttribute("aria-pressed", String(day.value === addDays(today, days)));
  return h(
    "div",
    { class: "quick", role: "group", "aria-label": words.fairness.until },
    all.map(({ root }) => root),
  );
}

function lines(value) {
  const area = h("textarea", { class: "in", required: true, maxlength: 500, rows: 3 });
  area.value = value;
  return area;
}
