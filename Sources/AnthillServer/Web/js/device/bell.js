import { recall, remember } from "./memory.js";
import { chime } from "./sound.js";

const canNotify = "Notification" in window && isSecureContext;

/** "granted", "denied", "default", or "impossible" where this browser knows no notices. */
export const noticesAllowed = () => (canNotify ? Notification.permission : "impossible");

/** Asks the browser whether notices may be shown; answers as above. Only from a press. */
export async function askForNotices() {
  if (noticesAllowed() !== "default") return noticesAllowed();
  return Notification.requestPermission();
}

/** Asks at the first timer with an end that this browser starts, and not again. */
export function askOnce(user) {
  if (!user.notices || recall("asked") || noticesAllowed() !== "default") return;
  remember("asked", "yes");
  askForNotices().catch(() => {});
}

/** Tells that a stretch is over, as the person wants it; `key` names the end, so that of several tabs one rings. */
export function tell(user, key, text, up) {
  if (recall("rang") === key) return;
  remember("rang", key);
  if (user.sounds) chime(up);
  if (user.notices && noticesAllowed() === "granted") show(key, text);
}

/** Shows a notice; pressed, it brings this page back, or does what `press` does there. */
export function show(tag, text, press = () => {}) {
  try {
    const shown = new Notification(text, { tag, icon: "/art/icon-192.png" });
    shown.onclick = () => {
      focus();
      shown.close();
      press();
    };
  } catch {
    // Some phones allow notices to service workers only.
  }
}
