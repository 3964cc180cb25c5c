import { reached } from "./api.js";
import { connection } from "./connection.js";

/** Asks every `seconds` while the page is visible, and at once when it becomes visible. Returns a function to ask now. */
export function poll(seconds, ask) {
  let timer;
  let asking = false;
  let askAgain = false;
  let isLeft = false;
  const now = async () => {
    if (document.hidden) return;
    // What came back while it asks may come too late for this question.
    askAgain = asking;
    if (asking) return;
    clearTimeout(timer);
    asking = true;
    let wait = seconds;
    try {
      await ask();
      connection(reached.now);
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      if (problem.passes) connection(false);
      wait = Math.max(wait, problem.retryAfter);
    } finally {
      asking = false;
      if (!isLeft && askAgain) now();
      else if (!isLeft) timer = setTimeout(now, wait * 1000);
    }
  };
  document.addEventListener("visibilitychange", now);
  addEventListener("online", now);
  addEventListener("offline", () => connection(false));
  addEventListener("pageshow", ({ persisted }) => {
    isLeft = false;
    if (persisted) now();
  });
  addEventListener("pagehide", () => {
    isLeft = true;
    clearTimeout(timer);
  });
  timer = setTimeout(now, seconds * 1000);
  return now;
}
