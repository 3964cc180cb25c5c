import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { ownZone, timeOfDay } from "../words/time.js";

// Added to the page early: once offline, its icon could not be loaded.
const strip = notice("", "globe", " ", words.connection.safe, { id: "offline", hidden: true });
let seenAt = new Date();

/** Shows a strip at the top of the page while offline, and announces when the server is back. */
export function connection(reached) {
  if (!strip.isConnected) document.querySelector("main").prepend(strip);
  if (reached) {
    seenAt = new Date();
    if (strip.hidden) return;
    strip.hidden = true;
    announce(words.connection.back);
  } else if (strip.hidden) {
    const time = words.connection.lost(timeOfDay(seenAt, ownZone()));
    strip.querySelector("b").textContent = time;
    strip.hidden = false;
    announce(time);
  }
}
