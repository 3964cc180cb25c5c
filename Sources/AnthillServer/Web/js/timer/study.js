import { askOnce } from "../device/bell.js";
import { remember } from "../device/memory.js";
import { timerShown } from "../offline/timer-here.js";
import { button, h, icon } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { aimOf, lastHow, startBody } from "./how.js";
import { begin, lastChosen, pressed } from "./pressing.js";
import { purposeName } from "./purpose.js";
import { Stopwatch } from "./stopwatch.js";
import { timerActs } from "./timer-acts.js";

let isBusy = false;

/**
 * Starts the timer with a task, a subject or a note, in the mode and with the subject last used in this browser, and goes to
 * it. A timer that is on stays on.
 */
export async function study(purpose, user) {
  if (isBusy) return;
  isBusy = true;
  const how = lastHow(user);
  if (aimOf(how)) askOnce(user);
  if ("subject_id" in purpose) remember("subject", purpose.subject_id);
  remember("task", purpose.task_id);
  try {
    await begin({ ...startBody(how), ...lastChosen(), ...purpose });
  } catch (problem) {
    if (!("status" in problem)) throw problem;
    // Without a connection, the one that was shown last.
    const timer = problem.unreached ? timerShown() : problem.more.timer;
    if (timer && timer.state !== "idle") await offerTimer(timer);
    else sheet(words.timer.notStarted, h("div", { role: "alert" }, refusal(problem)));
  } finally {
    isBusy = false;
  }
}

const refusal = (problem) => notice("apple", "info", null, said(problem));

/** The sheet for a timer that is already on, with the same buttons as on the home page. */
async function offerTimer(timer) {
  const watch = new Stopwatch(timer);
  const name = await purposeName(timer).catch(() => null);
  const message = h("div", { role: "alert" });
  const act = async (path) => {
    try {
      await pressed(path, {}, () => [timer, watch.seconds]);
      location.assign("/home");
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      message.replaceChildren(refusal(problem));
    }
  };
  const acts = timerActs(watch, watch.left !== null && watch.left <= 0);
  sheet(
    words.timer.on.title,
    h("p", {}, words.timer.on.text(name, words.duration(watch.seconds))),
    message,
    acts.map(({ name, picture, label }, index) =>
      button([icon(picture), label], () => act(name), index === 0 ? "btn wide" : "btn quiet wide"),
    ),
    h("a", { class: "btn text wide", href: "/home" }, words.timer.on.open),
  );
}
