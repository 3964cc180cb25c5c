import { recall, remember } from "../device/memory.js";

/** Learns the service's time from an answer that tells it; `received` is when that came, by this page's clock. */
export function learnTime(answer, received) {
  const then = Date.parse(answer?.server_time);
  if (then) remember("ahead", String(Math.round(then + performance.now() - received - Date.now())));
}

/** The service's time; without a connection by this device's clock and what they differed by last. */
export const serverNow = () => new Date(Date.now() + Number(recall("ahead") ?? 0));
