import { explain } from "../boards/explain-sheet.js";
import { asking } from "../parts/asking.js";
import { art, b, bdi, button, h, icon } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, post, put } from "../server/api.js";
import { serverNow } from "../server/clock.js";
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
  const explained = button(text.mineTime, () => explain(board()), "btn quiet small");
  const told = { title: text.mineTitle, reason: text.mineReason(called(suspension.suspended_by)), meaning: text.mineMeaning };
  const path = `/groups/${group.id}/suspensions/${suspension.id}/answer`;
  return suspensionNotice(suspension, { ...told, hint: text.answerHint, path, zone: group.rules.time_zone, changed }, explained);
}

/**
 * What a suspended person reads: `title`, the reason under the words `reason`, when it ends by the clock of `zone`, and
 * what it means. Their reply goes to `path`, with `hint` saying who reads it; then `changed()` is called.
 */
export function suspensionNotice(suspension, { title, reason, meaning, hint, path, zone, changed }, ...buttons) {
  const text = words.fairness;
  const { until, answer } = suspension;
  const reply = () => answering(path, answer, hint, changed);
  return h(
    "section",
    { class: "notice honey suspended", "aria-labelledby": "suspended" },
    art("i-info", "i"),
    h(
      "div",
      {},
      h("h2", { id: "suspended", tabindex: "-1" }, title),
      h("p", {}, text.mineUntil(b(dayAndTime(until, zone)))),
      h("p", { class: "small" }, reason),
      quote(suspension.reason),
      answer && [h("p", { class: "small" }, text.mineAnswer), quote(answer)],
      h("p", { class: "small" }, meaning),
      h("div", { class: "btns" }, button(answer ? text.answerAgain : text.answer, reply, "btn small"), buttons),
    ),
  );
}

/** The sheet in which the member replies. */
function answering(path, answer, hint, changed) {
  const text = words.fairness;
  const reply = field("answer", text.answerLabel, lines(answer ?? ""), hint);
  const send = async (values) => {
    await put(path, values);
    close();
    announce(text.answered);
    await changed();
  };
  const close = sheet(text.answer, form([reply], text.answerSend, send));
}

/** A suspension as admins see it in a list: `lift()` ends it, and is left out for one's own. */
export function suspensionRow(each, zone, isMine, lift) {
  const text = words.fairness;
  const when = (instant) => dayAndTime(instant, zone);
  const by = each.suspended_by ? text.by(called(each.suspended_by)) : "";
  return h(
    "li",
    { class: each.in_force ? null : "past" },
    h(
      "div",
      { class: "l" },
      h(
        "span",
        { class: "nick" },
        called(each),
        h("span", { class: each.in_force ? "chip honey" : "chip" }, each.in_force ? text.inForce : text.over),
      ),
      h("span", { class: "hint" }, text.fromTo(when(each.since), when(each.until)), by && " · ", by),
      each.lifted_at && h("span", { class: "hint" }, text.liftedBy(when(each.lifted_at), called(each.lifted_by))),
    ),
    h(
      "div",
      { class: "said" },
      h("p", { class: "small muted" }, text.reason),
      quote(each.reason),
      each.answer
        ? [h("p", { class: "small muted" }, text.answerOf(when(each.answered_at))), quote(each.answer)]
        : h("p", { class: "small muted" }, text.noAnswer),
    ),
    each.in_force &&
      !isMine &&
      h(
        "div",
        { class: "deeds" },
        asking(text.lift, text.liftAsk(called(each)), lift, {
          className: "btn quiet small",
          attributes: { "aria-label": text.liftLabel(each.nickname ?? text.gone) },
        }),
      ),
  );
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
  const { reason, until, ends } = reasonAndEnd(group.rules, text.reasonHint);
  const store = async (values) => {
    const [{ text: name }] = list.selectedOptions;
    await post(`/groups/${group.id}/suspensions`, { ...values, until: ends() });
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

/** The fields for a reason and for the day on which a suspension ends, by that study clock; `ends()` is that instant. */
export function reasonAndEnd(clock, hint) {
  const text = words.fairness;
  const reason = field("reason", text.reason, lines(""), hint);
  const today = studyDay(serverNow(), clock);
  const ends = () => rfc3339(instantAt(until.input.value, clock.day_starts_at, clock.time_zone));
  const days = { min: addDays(today, 1), max: addDays(today, numbers.longest_suspension_days), value: addDays(today, 7) };
  const until = field("until", text.until, input({ type: "date", ...days }), " ");
  const tell = () => {
    const isDay = until.input.value && until.input.validity.valid;
    until.root.querySelector(".hint").textContent = isDay ? text.untilHint(dayAndTime(ends(), clock.time_zone)) : "";
  };
  const quick = presets(until.input, today, tell);
  until.input.parentElement.insertBefore(quick, until.input.nextSibling);
  tell();
  return { reason, until, ends };
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

/** A field for a few lines, at most 500 characters. */
export function lines(value) {
  const area = h("textarea", { class: "in", required: true, maxlength: 500, rows: 3 });
  area.value = value;
  return area;
}
