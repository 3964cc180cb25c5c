import { button, h, icon } from "../parts/dom.js";
import { helpLink } from "../parts/help-link.js";
import { logSession } from "../sessions/log-sheet.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndTime, dayIn, timeOfDay, todayIn } from "../words/time.js";
import { acts, dropAct, dropSaved, onActs } from "./acts.js";
import { undo } from "./sending.js";
import { onTimerHere, timerHere } from "./timer-here.js";

/**
 * What was done without a connection, and what the service said to it; empty if there is nothing to say. `resumed()` is
 * called when a stop of the timer was undone.
 */
export function actsCard(clock, changed, resumed) {
  const root = h("div", { class: "o1 stackup" });
  const show = () => {
    const all = acts();
    const rows = all.map((act) => row(act, clock, changed, resumed));
    root.replaceChildren(...(rows.length > 0 ? [card(rows, seen(all))] : []));
  };
  onActs(show);
  onTimerHere(show);
  show();
  return root;
}

/** Closes what the service has saved. */
const seen = (all) =>
  all.some(({ verdict }) => verdict?.saved) &&
  h("div", { class: "btns" }, button(words.offline.seen, dropSaved, "btn quiet small"));

const card = (rows, seen) =>
  h(
    "section",
    { class: "card", "aria-labelledby": "acts" },
    h("header", {}, h("h2", { id: "acts" }, words.offline.kept)),
    h("ul", { class: "acts-kept" }, rows),
    seen,
    helpLink("offline"),
  );

function row(act, clock, changed, resumed) {
  const { verdict } = act;
  const when = told(act, clock.time_zone);
  const edit = () => logSession(clock, changed, act.body);
  const own = (label) => button(label, edit, "btn quiet small", { "aria-label": `${label}: ${when}` });
  const again = act.kind === "session" && own(verdict ? words.offline.edit : words.offline.change);
  const drop = button(words.offline.drop, () => dropAct(act), "btn text small", {
    "aria-label": `${words.offline.drop}: ${when}`,
  });
  const goOn = async () => {
    const isUndone = await undo(act);
    if (isUndone === null) return;
    announce(isUndone ? words.offline.undone : words.offline.full);
    if (isUndone) resumed();
  };
  const stopped = act.stopped && !verdict && !timerHere();
  const back = button(words.offline.undo, goOn, "btn quiet small", { "aria-label": `${words.offline.undo}: ${when}` });
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
