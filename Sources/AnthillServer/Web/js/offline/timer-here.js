// The timer without a connection, which this device runs. Its stretches are sent as sessions added by hand. One that still
// runs when the connection is back becomes the service's timer, with its true start.

import { recall, recallAll, remember } from "../device/memory.js";
import { uuid } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { rfc3339 } from "../words/time.js";
import { actsChanged, dropAct, isAct, isTooOld, keepAct, sessionAct, waiting } from "./acts.js";

// Each person who signs in on this device has one of their own.
const places = "timer-here.";
const place = () => `${places}${recall("uid")}`;

/** The timer that this device runs or holds; null if the service has it. */
export const timerHere = () => JSON.parse(recall(place()) ?? "null");

export const forgetTimer = () => remember(place(), null);

/** Forgets the timers that others left here once they are too old. */
export function forgetOthers() {
  for (const [name, { since, paused }] of recallAll(places)) {
    if (name !== place() && isTooOld(since ?? paused)) remember(name, null);
  }
}

/** Calls `show()` when another tab changes it, or stops the service's. */
export const onTimerHere = (show) =>
  addEventListener("storage", ({ key }) => (key === `anthill.${place()}` || isAct(key)) && show());

const secondsBetween = (from, to) => Math.max(0, Math.floor((to - new Date(from)) / 1000));

/** No timer, as the API describes it. */
export const idle = () => ({ state: "idle", session: null, elapsed_seconds: 0, server_time: serverNow().toISOString() });

let told = null;

/** The timer to show, as the API describes one: this device's, else `timer`, which the service told last. */
export function timerShown(timer = told ?? idle()) {
  told = timer;
  const here = timerHere();
  if (here) return described(here);
  return waiting("end").some(({ session }) => session === timer.session?.id) ? idle() : timer;
}

function described({ key, session, body, since, paused, began, before, number }) {
  const now = serverNow();
  const { plan = null, ...purpose } = body;
  const length = since ? plan?.work_seconds : plan?.rest_seconds;
  const elapsed = secondsBetween(since ?? paused, now);
  return {
    ...purpose,
    state: since ? "running" : "paused",
    session: { id: session ?? key, started_at: began, running_since: since },
    elapsed_seconds: before + (since ? elapsed : 0),
    plan,
    phase: plan && { kind: since ? "work" : "rest", number, length_seconds: length, elapsed_seconds: elapsed },
    server_time: now.toISOString(),
  };
}

/**
 * Does here what was pressed: `{name, at, key, body}`, with the key of the request that did not arrive. `timer` and
 * `elapsed` are what was shown. Returns the timer to show; null for what only the service can do, and false where this
 * browser keeps nothing more: then nothing was done.
 */
export function press(timer, elapsed, { name, at, key, body }) {
  const own = timerHere();
  const then = at.toISOString();
  if (name === "start" && timer.state !== "idle") return null;
  if (name === "start") return hold({ key, via: "start", body, before: 0, number: 1, since: then, began: then });
  if (name === "cancel") return own && !own.session ? hold(null) : null;
  const session = own ? own.session : timer.session.id;
  // The service's timer stops or is paused there, too. A paused one waits until it is finished.
  const kind = name === "stop" ? session && "end" : !own && timer.state === "running" && "pause";
  const acts = [own?.since && stretch(own, at), kind && { id: uuid(), kind, at: rfc3339(at), session }].filter(Boolean);
  if (name === "stop") {
    if (acts.length > 0) acts.at(-1).stopped = { timer: own, acts: acts.map(({ id }) => id) };
    return hold(null, acts);
  }
  const from = own ?? {
    body: purpose(timer),
    via: "resume",
    session,
    began: timer.session.started_at,
    number: timer.phase?.number ?? 1,
  };
  if (name === "pause") return hold({ ...from, key, since: null, paused: then, before: elapsed }, acts);
  return hold({ ...from, key, since: then, paused: null, before: elapsed, number: from.number + 1 }, acts);
}

/** What a timer is for and how it counts, as its start says it. */
const purpose = ({ subject_id, task_id, note, goal_seconds, plan }) =>
  Object.fromEntries(Object.entries({ subject_id, task_id, note, goal_seconds, plan }).filter(([, value]) => value));

/** Keeps both or neither: what was done, and the timer as it is then. */
function hold(timer, acts = []) {
  const isHeld = acts.every(keepAct) && remember(place(), timer && JSON.stringify(timer));
  if (!isHeld) for (const act of acts) dropAct(act);
  actsChanged();
  return isHeld && (timer ? described(timer) : idle());
}

/** Undoes the stop of an act, unless it was sent or another timer is on here; false where this browser keeps nothing more. */
export function undoStop({ id, stopped: { timer, acts } }) {
  if (timerHere() || !waiting().some((act) => act.id === id)) return null;
  if (timer && !remember(place(), JSON.stringify(timer))) return false;
  for (const id of acts) dropAct({ id });
  return true;
}

/** What the timer ran here until `until`, as a `timed` session; with the service's session if it had one. */
export function stretch({ since, session, body: { subject_id, task_id, note } }, until) {
  const [started_at, ended_at] = [rfc3339(new Date(since)), rfc3339(until)];
  if (started_at >= ended_at) return null;
  const body = { id: uuid(), started_at, ended_at, subject_id, task_id, note, source: "manual" };
  return sessionAct(body, { timed: true, session });
}
