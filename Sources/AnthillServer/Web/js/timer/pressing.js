import { recall, remember } from "../device/memory.js";
import { send } from "../offline/sending.js";
import { press, timerShown } from "../offline/timer-here.js";
import { Problem, post, uuid } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { connection } from "../server/connection.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";

/** Milliseconds until what was pressed is done on this device. */
const patience = 5000;

/** Fails as a request does that is not answered, once patience is at its end. */
const tooLong = () => new Promise((_, fail) => setTimeout(() => fail(new Problem(0, { code: "unreachable" })), patience));

/**
 * Does what was pressed. First sends what was done without a connection, then asks the server. If the server is not reached,
 * this device does it, with the timer and its seconds that `shown()` returns. Returns what the server said, or `{here}` with
 * the timer to show.
 */
export async function pressed(name, body, shown) {
  const one = { name, at: serverNow(), key: uuid(), body };
  const sending = send();
  try {
    await Promise.race([sending, tooLong()]).catch((problem) => {
      if (problem.unreached || !("status" in problem)) throw problem;
    });
    return await post(`/me/timer/${name}`, body, one.key, patience);
  } catch (problem) {
    const here = problem.unreached ? press(...shown(), one) : null;
    if (here === false) problem.detail = words.offline.full;
    if (!here) throw problem;
    connection(false);
    // What was still being sent may arrive: then the server is there for this, too.
    sending.then((sent) => sent && dispatchEvent(new Event("online"))).catch(() => {});
    return { here };
  }
}

/** Starts the timer from another place than the panel, and goes to it. A timer that is on stays on. */
export async function begin(body) {
  const slow = setTimeout(() => announce(words.form.sending), 700);
  try {
    await pressed("start", body, () => [timerShown(), 0]);
    location.assign("/home");
  } catch (problem) {
    if (["subject_id", "task_id"].includes(problem.field)) for (const each of ["subject", "task"]) remember(each, null);
    throw problem;
  } finally {
    clearTimeout(slow);
  }
}

/** What was chosen last in this browser to study next. */
export const lastChosen = () => ({ subject_id: recall("subject"), task_id: recall("task") });
