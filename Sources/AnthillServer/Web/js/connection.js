import { words } from "./i18n.js";
import { announce, notice } from "./notices.js";
import { ownZone, timeOfDay } from "./time.js";

let lost = null;
let seenAt = new Date();

/** One strip on top of the page while the server is out of reach, and one sentence when it is back. */
export function connection(reached) {
  if (reached) {
    seenAt = new Date();
    if (!lost) return;
    lost.remove();
    lost = null;
    announce(words.connection.back);
  } else if (!lost) {
    const time = timeOfDay(seenAt, ownZone());
    lost = notice("", "globe", words.connection.lost(time), words.connection.safe, { id: "offline" });
    document.querySelector("main").prepend(lost);
    announce(words.connection.lost(time));
  }
}
