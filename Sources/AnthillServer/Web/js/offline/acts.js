// What was done without a connection. Each act is an entry of its own in this browser's storage, until the service has
// answered it and the user has seen the answer.
//
// "session": added by hand, or timed here. `body` is as the API takes it; its id makes that it counts once. One that was
// `edited` may be at the service as it was before.
// "end", "pause": when a timer of the service, that of `session`, was stopped or paused.
// "start": a timer that was started here and is the service's now.
//
// `verdict` is what the service said: `{saved, detail}`. `stopped` is of the last act of a stop: `{timer, acts}`, the timer
// that this device ran, if it did, and the ids of all acts of that stop.

import { recall, recallAll, remember } from "../device/memory.js";
import { serverNow } from "../server/clock.js";
import { numbers } from "../words/numbers.js";

const place = (id) => `act.${id}`;
const changed = "acts-changed";

const all = () => recallAll(place("")).map(([, act]) => act);

/** The user's, the oldest first. */
export const acts = () =>
  all()
    .filter(isMine)
    .sort((one, other) => one.at.localeCompare(other.at));
const isMine = ({ uid }) => uid === recall("uid");

/** Those that the service has not answered. */
export const waiting = (kind) => acts().filter((act) => !act.verdict && (!kind || act.kind === kind));

/** Keeps an act with `{id, kind, at}` in place of the one with this id; false where the browser keeps nothing. */
export function keepAct(act) {
  const isKept = remember(place(act.id), JSON.stringify({ ...act, uid: recall("uid") }));
  actsChanged();
  return isKept;
}

/** A session to be sent. */
export const sessionAct = (body, more) => ({ id: body.id, kind: "session", at: body.started_at, body, ...more });

export function dropAct({ id }) {
  remember(place(id), null);
  actsChanged();
}

/** Forgets what the service has saved: the user has seen that. */
export function dropSaved() {
  for (const act of acts()) if (act.verdict?.saved) dropAct(act);
}

/** How many of these acts the service has saved, and how many it has refused. */
export function countVerdicts(all) {
  const verdicts = all.flatMap(({ verdict }) => verdict ?? []);
  const saved = verdicts.filter((verdict) => verdict.saved).length;
  return [saved, verdicts.length - saved];
}

/**
 * Keeps what the service said to an act, unless it was changed meanwhile: then it is sent again. Where there is no room for
 * it, what was saved is only dropped.
 */
export function answerAct(act, verdict) {
  const now = recall(place(act.id));
  if (now && now !== JSON.stringify(act)) return;
  if (!keepAct({ ...act, verdict }) && verdict?.saved) dropAct(act);
}

/** Whether the service would refuse what was done then as too old. Until then others' acts wait for them to sign in. */
export const isTooOld = (at) => serverNow() - Date.parse(at) > numbers.logging_window_hours * 3_600_000;

/** Forgets what others did in this browser once it is too old; with `mine` also what the user did. */
export function forgetActs(mine) {
  for (const act of all()) if (isMine(act) ? mine : isTooOld(act.at)) dropAct(act);
}

/** Whether this key of the browser's storage is an act's. */
export const isAct = (key) => Boolean(key?.startsWith(`anthill.${place("")}`));

/** Says that something changed here. */
export const actsChanged = () => dispatchEvent(new Event(changed));

/** Calls `show()` when something changes, here or in another tab. */
export function onActs(show) {
  addEventListener(changed, show);
  addEventListener("storage", ({ key }) => isAct(key) && show());
}
