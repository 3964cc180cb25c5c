import { get, patch, post, put } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { rfc3339 } from "../words/time.js";
import { keepAct, waiting } from "./acts.js";
import { forgetTimer, keepStretch, timerHere } from "./timer-here.js";

/**
 * Sends what was done without a connection, and keeps what the service says to each. Throws the Problem when the service
 * cannot be reached. Answers whether anything was sent.
 */
export async function send() {
  if (waiting().length === 0 && !timerHere()) return false;
  // Of several tabs, one sends at a time; the next finds it done.
  if (navigator.locks) await navigator.locks.request("anthill.sending", sendAll);
  else await sendAll();
  return true;
}

async function sendAll() {
  // Ends come first: what follows them may begin at the same second.
  for (const act of waiting("end")) keepAct({ ...act, verdict: await answered(() => end(act)) });
  await sendSessions(waiting("session").slice(0, 200));
  const timer = timerHere();
  if (timer?.since) await goOn(timer);
  forgetTimer();
}

/** What the service says to a request: its verdict. A request that may succeed later throws its Problem. */
async function answered(ask) {
  try {
    return { saved: true, ...(await ask()) };
  } catch (problem) {
    if (!(problem.status >= 400 && problem.status < 500) || problem.passes || problem.status === 401) throw problem;
    return { saved: false, detail: problem.detail };
  }
}

async function end({ session, at }) {
  try {
    await put(`/me/sessions/${session}/end`, { ended_at: at });
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
    keepAct({ ...act, verdict: status ? { saved: status < 300, detail } : all });
  }
}

/** Hands the timer that runs here to the service. If it cannot have its true start, its time is kept as refused. */
async function goOn(timer) {
  const verdict = await answered(async () => {
    await post(`/me/timer/${timer.via}`, timer.via === "start" ? timer.body : {}, timer.key);
    await patch("/me/timer", { started_at: rfc3339(new Date(timer.since)) });
  });
  if (verdict.saved) keepAct({ id: timer.key, kind: "start", at: rfc3339(new Date(timer.since)), verdict });
  else keepStretch(timer, serverNow(), verdict);
}
