import { get, patch, post, put } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { numbers } from "../words/numbers.js";
import { rfc3339 } from "../words/time.js";
import { answerAct, keepAct, waiting } from "./acts.js";
import { forgetTimer, stretch, timerHere, undoStop } from "./timer-here.js";

/**
 * Sends what was done without a connection, and keeps what the service says to each. Throws the Problem when the service
 * cannot be reached. Answers whether anything was sent.
 */
export async function send() {
  if (waiting().length === 0 && !timerHere()) return false;
  await alone(sendAll);
  return true;
}

/** Undoes the stop of an act, as `undoStop` says; never while it is being sent. */
export const undo = (act) => alone(() => undoStop(act));

/** Of several tabs, one sends at a time; the next finds it done. */
const alone = (work) => (navigator.locks ? navigator.locks.request("anthill.sending", work) : work());

async function sendAll() {
  await endUnanswered(waiting("session").filter(({ timed }) => timed));
  // Ends come first: what follows them may begin at the same second.
  for (const kind of ["pause", "end"]) {
    for (const act of waiting(kind)) answerAct(act, await answered(() => end(act)));
  }
  await sendSessions(waiting("session").slice(0, 200));
  const timer = timerHere();
  if (timer && (!timer.since || (await goOn(timer)))) forgetTimer();
}

/**
 * What the service says to a request: its verdict; null for a fault of the service, so that it is asked again later and
 * nothing waits for it. Throws the Problem when nothing can be asked now.
 */
async function answered(ask) {
  try {
    return { saved: true, ...(await ask()) };
  } catch (problem) {
    if (!("status" in problem) || problem.passes || problem.status === 401) throw problem;
    return problem.status >= 500 ? null : { saved: false, detail: problem.detail };
  }
}

/**
 * A start or a resumption may have reached the service although its answer was lost: then the service's timer runs since.
 * It ends where this device ended it, and is the stretch that this device kept.
 */
async function endUnanswered(stretches) {
  const { session } = stretches.length > 0 ? await get("/me/timer") : {};
  const since = Date.parse(session?.running_since);
  const act = stretches.find(({ at }) => Math.abs(Date.parse(at) - since) < 30_000);
  if (!act) return;
  const at = rfc3339(new Date(Math.max(Date.parse(act.body.ended_at), since + 1000)));
  const wanted = { session: session.id, at, kind: act.session ? "pause" : "end" };
  answerAct(act, await answered(() => end(wanted)));
}

async function end({ session, at, kind }) {
  try {
    await put(`/me/sessions/${session}/end`, { ended_at: at, paused: kind === "pause" });
  } catch (problem) {
    if (problem.code !== "not_unconfirmed") throw problem;
    // Another device was first, or the answer to an earlier request was lost.
    return { endedAt: (await get(`/me/sessions/${session}`)).ended_at };
  }
}

async function sendSessions(sessions) {
  if (sessions.length === 0) return;
  let results = [];
  const all = await answered(async () => {
    ({ results } = await post("/me/sessions/batch", { sessions: sessions.map(({ body }) => body) }));
  });
  for (const [index, act] of sessions.entries()) {
    const { status, detail } = results[index] ?? {};
    const verdict = status >= 500 ? null : { saved: status < 300, detail };
    answerAct(act, act.edited && status === 200 ? await answered(() => amend(act.body)) : status ? verdict : all);
  }
}

/** Makes a session that may have been there before its edit as the edit wants it: `body`, as it was sent. */
export const amend = ({ id, source, ...body }) => patch(`/me/sessions/${id}`, body);

/**
 * Hands the timer that runs here to the service. If it cannot have its true start, its time is kept as refused. Answers
 * whether the service has said either.
 */
async function goOn(timer) {
  // If this device's clock was changed, it may have begun in the future.
  const at = rfc3339(new Date(Math.min(Date.parse(timer.since), serverNow())));
  const isTooLong = serverNow() - Date.parse(at) > numbers.longest_interval_minutes * 60_000;
  const verdict = await answered(async () => {
    // The service refuses that in words, and starts nothing; the owner corrects when it ended.
    if (isTooLong) return post("/me/sessions", stretch(timer, serverNow()).body);
    await post(`/me/timer/${timer.via}`, timer.via === "start" ? timer.body : {}, timer.key);
    await patch("/me/timer", { started_at: at });
  });
  // What was pressed meanwhile goes on from here; if it stopped, the next sending ends the service's timer.
  if (!verdict || JSON.stringify(timerHere()) !== JSON.stringify(timer)) return false;
  if (verdict.saved) {
    keepAct({ id: timer.key, kind: "start", at, verdict });
    return true;
  }
  const refused = stretch(timer, serverNow());
  return !refused || keepAct({ ...refused, verdict });
}
