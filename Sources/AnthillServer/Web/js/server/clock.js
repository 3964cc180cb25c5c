import { recall, remember } from "../device/memory.js";

// This device's clock. If it is put back while the page is open, the monotonic clock goes on instead.
const origin = Date.now() - performance.now();
const here = () => Math.max(Date.now(), origin + performance.now());

/** Learns the service's time from an answer that tells it; `received` is when that came, by this page's clock. */
export function learnTime(answer, received) {
  const then = Date.parse(answer?.server_time);
  if (then) remember("ahead", String(Math.round(then + performance.now() - received - here())));
}

/** The service's time; without a connection by this device's clock and what they differed by last. */
export const serverNow = () => new Date(here() + Number(recall("ahead") ?? 0));
