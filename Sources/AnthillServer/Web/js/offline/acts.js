// What was done without a connection. Each act is an entry of its own in this browser's storage, until the service has
// answered it and the user has seen the answer.
//
// "session": added by hand, or timed here. `body` is as the API takes it; its id makes that it counts once.
// "end", "pause": when a timer of the service, that of `session`, was stopped or paused.
// "start": a timer that was started here and is the service's now.
//
// `verdict` is what the service said: `{saved, detail}`.

import { recall } from "../device/memory.js";
import { numbers } from "../words/numbers.js";

const prefix = "anthill.act.";
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
  try {
    localStorage.setItem(prefix + act.id, JSON.stringify({ ...act, uid: recall("uid") }));
  } catch {
    return false;
  }
  dispatchEvent(new Event(changed));
  return true;
}

/** Keeps a session to be sent, or with what the service said about it. */
export const keepSession = (body, verdict, more) =>
  keepAct({ id: body.id, kind: "session", at: body.started_at, body, verdict, ...more });

export function dropAct({ id }) {
  localStorage.removeItem(prefix + id);
  dispatchEvent(new Event(changed));
}

/**
 * Forgets what others did in this browser once the service would refuse it as too old: until then it is sent when they
 * sign in again. With `mine` forgets what the user did.
 */
export function forgetActs(mine) {
  const oldest = Date.now() - numbers.logging_window_hours * 3_600_000;
  for (const act of all()) if (isMine(act) ? mine : Date.parse(act.at) < oldest) dropAct(act);
}

/** Calls `show()` when something changes, here or in another tab. */
export function onActs(show) {
  addEventListener(changed, show);
  addEventListener("storage", ({ key }) => key?.startsWith(prefix) && show());
}
