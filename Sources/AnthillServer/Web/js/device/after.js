import { addresses } from "../parts/addresses.js";

// Timers. Browsers wake a hidden page only once a minute, so there a worker keeps the time.

const waiting = new Map();
let last = 0;
let worker = null;
let isLeft = false;

/** Acts after that many milliseconds, unless the page is left first. */
export function after(milliseconds, act) {
  // An answer that arrives after the page was left must not start it again.
  if (isLeft) return;
  last += 1;
  const id = last;
  waiting.set(id, act);
  if (document.hidden) timekeeper().postMessage({ id, milliseconds });
  else setTimeout(run, milliseconds, id);
}

function run(id) {
  const act = waiting.get(id);
  waiting.delete(id);
  act?.();
}

function timekeeper() {
  worker ??= new Worker(addresses["js/device/after-worker.js"]);
  worker.onmessage = ({ data }) => run(data);
  return worker;
}

addEventListener("pageshow", () => {
  isLeft = false;
});
addEventListener("pagehide", () => {
  isLeft = true;
  waiting.clear();
  worker?.terminate();
  worker = null;
});
