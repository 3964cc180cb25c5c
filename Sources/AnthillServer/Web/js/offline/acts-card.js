import { asking } from "../parts/asking.js";
import { button, h, icon, keepingFocus, redraw } from "../parts/dom.js";
import { helpLink } from "../parts/help-link.js";
import { logSession } from "../sessions/log-sheet.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndTime, dayIn, timeOfDay, todayIn } from "../words/time.js";
import { acts, countVerdicts, dropAct, dropSaved, onActs } from "./acts.js";
import { undo } from "./sending.js";
import { onTimerHere, timerHere } from "./timer-here.js";

/**
 * What was done without a connection, and what the service said to it; empty if there is nothing to say. `resumed()` is
 * called when a stop of the timer was undone.
 */
export function actsCard(clock, changed, resumed) {
  const told = h("p", { class: "vh", role: "status" });
  const list = h("ul", { class: "acts-kept" });
  const seen = h(
    "div",
    { class: "btns" },
    button(words.offline.seen, () => keepingFocus(dropSaved), "btn quiet small"),
  );
  const card = h(
    "section",
    { class: "card", "aria-labelledby": "acts" },
    h("header", {}, h("h2", { id: "acts" }, words.offline.kept)),
    told,
    list,
    seen,
    helpLink("offline"),
  );
  const root = h("div", { class: "o1 stackup" });
  const show = () => {
    const all = acts();
    const [saved, refused] = countVerdicts(all);
    const isShown = all.length > 0;
    redraw(root, isShown, () => isShown && card);
    seen.hidden = saved === 0;
    redraw(list, [all, timerHere()], () => all.map((act) => row(act, clock, changed, resumed)));
    const text = saved + refused > 0 ? words.offline.answered(saved, refused) : "";
    redraw(told, text, () => text);
  };
  onActs(show);
  onTimerHere(show);
  show();
  return root;
}

function row(act, clock, changed, resumed) {
  const { verdict } = act;
  const when = told(act, clock.time_zone);
  const edit = () => logSession(clock, changed, act.body);
  const named = (label) => ({ "aria-label": `${label}: ${when}`, "data-key": `${label}-${act.id}` });
  const own = (label) => button(label, edit, "btn quiet small", named(label));
  const again = act.kind === "session" && own(verdict ? words.offline.edit : words.offline.change);
  const over = () => {
    dropAct(act);
    announce(words.offline.dropped);
  };
  const drop = asking(words.offline.drop, words.offline.dropAsk, over, { attributes: named(words.offline.drop) });
  const goOn = async () => {
    const isUndone = await undo(act);
    if (isUndone === null) return;
    announce(isUndone ? words.offline.undone : words.offline.full);
    if (isUndone) resumed();
  };
  const stopped = act.stopped && !verdict && !timerHere();
  const back = button(words.offline.undo, () => keepingFocus(goOn), "btn quiet small", named(words.offline.undo));
  const [className, name, state] = !verdict
    ? ["honey", "clock", words.offline.waiting]
    : verdict.saved
      ? ["leaf", "done", words.offline.saved]
      : ["apple", "info", words.offline.refused];
  return h(
    "li",
    {},
    h("p", {}, when, " ", h("span", { class: `chip ${className}` }, icon(name), state)),
    verdict?.detail && h("p", { class: "small" }, verdict.detail),
    !verdict?.saved &&
      (verdict || again || stopped) &&
      h("div", { class: "btns" }, stopped && back, again, (verdict || again) && drop),
  );
}

/** What was done, in words. */
function told({ kind, at, body, verdict }, zone) {
  const time = (instant) => (dayIn(instant, zone) === todayIn(zone) ? timeOfDay : dayAndTime)(instant, zone);
  if (kind === "session") return `${time(body.started_at)} – ${timeOfDay(body.ended_at, zone)}`;
  return words.offline[kind](time(verdict?.endedAt ?? at));
}
