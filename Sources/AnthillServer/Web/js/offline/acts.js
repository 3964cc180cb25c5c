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

import { recall, remember } from "../device/memory.js";
import { serverNow } from "../server/clock.js";
import { numbers } from "../words/numbers.js";

const place = (id) => `act.${id}`;
const prefix = `anthill.${place("")}`;
const changed = "acts-changed";

function all() {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    return keys.map((key) => JSON.parse(localStorage.getItem(key)));
  } catch {
    return [];
  }
}

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

/**
 * Keeps what the service said to an act, unless it was changed meanwhile: then it is sent again. Where there is no room for
 * it, what was saved is only dropped.
 */
export function answerAct(act, verdict) {
  const now = recall(place(act.id));
  if (now && now !== JSON.stringify(act)) return;
  if (!keepAct({ ...act, verdict }) && verdict?.saved) dropAct(act);
}

/**
 * Forgets what others did in this browser once the service would refuse it as too old: until then it is sent when they
 * sign in again. With `mine` forgets what the user did.
 */
export function forgetActs(mine) {
  const oldest = serverNow() - numbers.logging_window_hours * 3_600_000;
  for (const act of all()) if (isMine(act) ? mine : Date.parse(act.at) < oldest) dropAct(act);
}

/** Whether this key of the browser's storage is an act's. */
export const isAct = (key) => Boolean(key?.startsWith(prefix));

/** Says that something changed here. */
export const actsChanged = () => dispatchEvent(new Event(changed));

/** Calls `show()` when something changes, here or in another tab. */
export function onActs(show) {
  addEventListener(changed, show);
  addEventListener("storage", ({ key }) => isAct(key) && show());
}
