// The timer without a connection, which this device runs. Its stretches are sent as sessions added by hand. One that still
// runs when the connection is back becomes the service's timer, with its true start.

import { recall, remember } from "../device/memory.js";
import { uuid } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { rfc3339 } from "../words/time.js";
import { keepAct, keepSession, waiting } from "./acts.js";

// Each person who signs in on this device has one of their own.
const place = () => `timer-here.${recall("uid")}`;

/** The timer that this device runs or holds; null if the service has it. */
export const timerHere = () => JSON.parse(recall(place()) ?? "null");

export const forgetTimer = () => remember(place(), null);

/** Calls `show()` when another tab changes it. */
export const onTimerHere = (show) => addEventListener("storage", ({ key }) => key === `anthill.${place()}` && show());

const secondsBetween = (from, to) => Math.max(0, Math.floor((to - new Date(from)) / 1000));
const idle = () => ({ state: "idle", session: null, elapsed_seconds: 0, server_time: serverNow().toISOString() });

/** The timer to show, as the API describes one: this device's, else `timer`, which the service told last. */
export function timerShown(timer) {
  const here = timerHere();
  if (here) return described(here);
  return waiting("end").some(({ session }) => session === timer.session?.id) ? idle() : timer;
}

function described({ key, body, since, paused, began, before, number }) {
  const now = serverNow();
  const { plan = null, ...purpose } = body;
  const length = since ? plan?.work_seconds : plan?.rest_seconds;
  const elapsed = secondsBetween(since ?? paused, now);
  return {
    ...purpose,
    state: since ? "running" : "paused",
    session: { id: key, started_at: began, running_since: since },
    elapsed_seconds: before + (since ? elapsed : 0),
    plan,
    phase: plan && { kind: since ? "work" : "rest", number, length_seconds: length, elapsed_seconds: elapsed },
    server_time: now.toISOString(),
  };
}

/**
 * Does here what was pressed: `{name, at, key, body}`, with the key of the request that did not arrive. `timer` and
 * `elapsed` are what was shown. Returns the timer to show; null for what only the service can do.
 */
export function press(timer, elapsed, { name, at, key, body }) {
  const own = timerHere();
  const then = at.toISOString();
  if (name === "start") return hold({ key, via: "start", body, before: 0, number: 1, since: then, began: then });
  if (name === "cancel") return own && !own.session ? hold(null) : null;
  if (own?.since && !keepStretch(own, at)) return null;
  const session = own ? own.session : timer.session.id;
  // The service's timer stops or is paused there, too. A paused one waits until it is finished.
  const kind = name === "stop" ? session && "end" : !own && timer.state === "running" && "pause";
  if (kind && !keepAct({ id: uuid(), kind, at: rfc3339(at), session })) return null;
  if (name === "stop") return hold(null);
  const from = own ?? {
    body: purpose(timer),
    via: "resume",
    session,
    began: timer.session.started_at,
    number: timer.phase?.number ?? 1,
  };
  if (name === "pause") return hold({ ...from, key, since: null, paused: then, before: elapsed });
  return hold({ ...from, key, since: then, paused: null, before: elapsed, number: from.number + 1 });
}

/** What a timer is for and how it counts, as its start says it. */
const purpose = ({ subject_id, task_id, note, goal_seconds, plan }) =>
  Object.fromEntries(Object.entries({ subject_id, task_id, note, goal_seconds, plan }).filter(([, value]) => value));

function hold(timer) {
  remember(place(), timer && JSON.stringify(timer));
  if (!timer) return idle();
  return timerHere() && described(timerHere());
}

/** Keeps the stretch that the timer ran here until then as a session, `timed` in that session of the service or in none. */
export function keepStretch({ since, session, body: { subject_id, task_id, note } }, until, verdict) {
  const [started_at, ended_at] = [rfc3339(new Date(since)), rfc3339(until)];
  if (started_at >= ended_at) return true;
  const body = { id: uuid(), started_at, ended_at, subject_id, task_id, note, source: "manual" };
  return keepSession(body, verdict, { timed: true, session });
}
