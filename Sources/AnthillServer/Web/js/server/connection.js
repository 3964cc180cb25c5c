import { keptAt } from "../device/kept-pages.js";
import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { dayAndTime, dayIn, ownZone, timeOfDay } from "../words/time.js";

// Added to the page early: once offline, its icon could not be loaded.
const strip = notice("", "globe", " ", words.connection.safe, { id: "offline", hidden: true });
let seenAt = keptAt ?? new Date();

/** Shows a strip at the top of the page while offline, and announces when the server is back. */
export function connection(reached) {
  if (!strip.isConnected) document.querySelector("main").prepend(strip);
  if (reached) {
    seenAt = new Date();
    if (strip.hidden) return;
    strip.hidden = true;
    announce(words.connection.back, { seen: true });
  } else if (strip.hidden) {
    const zone = ownZone();
    const isToday = dayIn(seenAt, zone) === dayIn(new Date(), zone);
    const time = words.connection.lost((isToday ? timeOfDay : dayAndTime)(seenAt, zone));
    strip.querySelector("b").textContent = time;
    strip.hidden = false;
    announce(time, { seen: true });
  }
}
