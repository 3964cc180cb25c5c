import { addresses } from "../parts/addresses.js";
import { recall, remember } from "./memory.js";
import { chime } from "./sound.js";

const canNotify = "Notification" in window && isSecureContext;

/** "granted", "denied", "default", or "impossible" if the browser has no notifications. */
export const noticesAllowed = () => (canNotify ? Notification.permission : "impossible");

/** Asks for permission to show notifications; returns the same values. Only after a click or tap. */
export async function askForNotices() {
  if (noticesAllowed() !== "default") return noticesAllowed();
  return Notification.requestPermission();
}

/** Asks once, when this browser first starts a timer with an end. */
export function askOnce(user) {
  if (!user.notices || recall("asked") || noticesAllowed() !== "default") return;
  remember("asked", "yes");
  askForNotices().catch(() => {});
}

/** Signals the end of a stretch as the user set it. `key` identifies the end, so that only one of several tabs rings. */
export async function tell(user, key, text, up) {
  if (recall("rang") === key || !(await isFirst(key))) return;
  remember("rang", key);
  if (user.sounds) chime(up);
  if (user.notices && noticesAllowed() === "granted") show(key, text);
}

/** Whether no other tab is about to ring for the same end. What a tab remembers reaches the others some milliseconds later. */
function isFirst(key) {
  if (!navigator.locks) return true;
  return new Promise((settle) => {
    navigator.locks.request(`anthill.rang.${key}`, { ifAvailable: true }, async (lock) => {
      settle(lock !== null);
      if (lock) await new Promise((done) => setTimeout(done, 10_000));
    });
  });
}

/** Shows a notification; a click on it focuses this page, or calls `press`. */
export function show(tag, text, press = () => {}) {
  try {
    const shown = new Notification(text, { tag, icon: addresses["art/icon-192.png"] });
    shown.onclick = () => {
      focus();
      shown.close();
      press();
    };
  } catch {
    // On some phones only service workers may show notifications.
  }
}
