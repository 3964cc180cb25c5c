import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { ownZone, timeOfDay } from "../words/time.js";

// It waits on the page: out of the server's reach its picture could not be had.
const strip = notice("", "globe", " ", words.connection.safe, { id: "offline", hidden: true });
let seenAt = new Date();

/** One strip on top of the page while the server is out of reach, and one sentence when it is back. */
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
