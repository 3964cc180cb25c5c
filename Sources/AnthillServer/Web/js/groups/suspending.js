import { asking } from "../parts/asking.js";
import { button, h, icon } from "../parts/dom.js";
import { field, form, input, said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, post } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { fairness as text } from "../words/fairness/i18n.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { addDays, date, dayAndTime, instantAt, ownZone, rfc3339, studyDay, timeOfDay } from "../words/time.js";
import { finder } from "./finder.js";
import { called, lines, quote } from "./suspension.js";

/** A suspension as admins see it in a list: `lift()` ends it, and is left out for one's own. */
export function suspensionRow(each, zone, isMine, lift) {
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
          attributes: { "aria-label": text.liftLabel(each.nickname ?? words.fairness.gone) },
        }),
      ),
  );
}

/**
 * The sheet in which an admin suspends a member: `member` if given, otherwise chosen there. Then calls `changed(told)`.
 */
export async function suspending(group, user, member, changed) {
  const page = member ? { items: [member], next: null } : await someMembers(group);
  const mayChoose = ({ uid, role }) => uid !== user.uid && (group.my_role === "owner" || role === "member");
  if (!page.next && !page.items.some(mayChoose)) return void sheet(text.suspend, h("p", {}, text.nobodyElse));
  const list = h("select", { class: "in", required: true });
  // Nobody is chosen beforehand: that suspends the wrong one.
  const nobody = h("option", { value: "", disabled: true });
  const offer = ({ items }) => {
    const chosen = member?.uid ?? list.value;
    const people = items.filter(mayChoose);
    list.replaceChildren(nobody, ...people.map(({ uid, nickname }) => h("option", { value: uid }, nickname)));
    list.value = people.some(({ uid }) => uid === chosen) ? chosen : "";
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
  const reason = field("reason", text.reason, lines(""), hint);
  const today = studyDay(serverNow(), clock);
  const ends = () => rfc3339(instantAt(until.input.value, clock.day_starts_at, clock.time_zone));
  const days = { min: addDays(today, 1), max: addDays(today, numbers.longest_suspension_days), value: addDays(today, 7) };
  const until = field("until", text.until, input({ type: "date", ...days }), " ");
  const tell = () => {
    const isDay = until.input.value && until.input.validity.valid;
    until.root.querySelector(".hint").textContent = isDay
      ? text.untilHint(date(ends(), ownZone()), timeOfDay(ends(), ownZone()))
      : "";
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
    return { days, root: button(text.days(days), choose, "btn quiet small") };
  });
  const mark = () => {
    for (const { days, root } of all) root.setAttribute("aria-pressed", String(day.value === addDays(today, days)));
    changed();
  };
  day.addEventListener("input", mark);
  for (const { days, root } of all) root.setAttribute("aria-pressed", String(day.value === addDays(today, days)));
  return h(
    "div",
    { class: "quick", role: "group", "aria-label": text.until },
    all.map(({ root }) => root),
  );
}
