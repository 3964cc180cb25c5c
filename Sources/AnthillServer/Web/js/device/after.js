import { addresses } from "../parts/addresses.js";

// Timers. Browsers wake a hidden page only once a minute, so there a worker keeps the time.

const waiting = new Map();
let last = 0;
let worker = null;
let isLeft = false;

/** Acts after that many milliseconds; on a page that was left by then, when it comes back. */
export function after(milliseconds, act) {
  last += 1;
  const id = last;
  waiting.set(id, act);
  if (isLeft) return;
  if (document.hidden) timekeeper().postMessage({ id, milliseconds });
  else setTimeout(run, milliseconds, id);
}

function run(id) {
  if (isLeft) return;
  const act = waiting.get(id);
  waiting.delete(id);
  act?.();
}

function timekeeper() {
  worker ??= new Worker(addresses["js/device/after-worker.js"]);
  worker.onmessage = ({ data }) => run(data);
  return worker;
}

addEventListener("pageshow", ({ persisted }) => {
  isLeft = false;
  if (persisted) for (const id of [...waiting.keys()]) run(id);
});
addEventListener("pagehide", () => {
  isLeft = true;
  worker?.terminate();
  worker = null;
});
