import { words } from "../words/i18n.js";
import { hm, hms } from "../words/time.js";

const forms = {
  hm,
  hms,
  rest: (seconds) => words.board.seconds(String(seconds % 60).padStart(2, "0")),
  said: (seconds) => words.duration(seconds),
};

/** Marks an element whose text counts a studying member's seconds, in one of the forms. `what` is what is counted. */
export const live = ({ studying, uid }, as, what = "live") => studying && { [`data-${what}`]: uid, "data-as": as };

/**
 * Counts on the seconds of studying members each second while the page is visible, from the board's time by the
 * monotonic clock. Only texts change; what the page cannot know (a cap, a stopped timer) the next board corrects.
 * Returns the function that takes each new board.
 */
export function liveSeconds(what = "live") {
  let board = null;
  let active = [];
  let received;
  let lead;
  let timer;
  let isLeft = false;

  /** Milliseconds since the board's time, never past its end. */
  const gone = () => {
    const since = performance.now() - received + lead;
    return Math.min(since, Date.parse(board.ends_at) - Date.parse(board.as_of));
  };

  function tick() {
    clearTimeout(timer);
    if (active.length === 0 || document.hidden || isLeft) return;
    const now = gone();
    const seconds = new Map(active.map((entry) => [entry.uid, entry.seconds + (entry.stands ? 0 : Math.floor(now / 1000))]));
    for (const place of document.querySelectorAll(`[data-${what}]`)) {
      const { [what]: uid, as } = place.dataset;
      const text = seconds.has(uid) ? forms[as](seconds.get(uid)) : place.textContent;
      if (place.textContent !== text) place.textContent = text;
    }
    timer = setTimeout(tick, 1005 - (now % 1000));
  }

  document.addEventListener("visibilitychange", tick);
  addEventListener("pagehide", () => {
    isLeft = true;
    clearTimeout(timer);
  });
  addEventListener("pageshow", () => {
    isLeft = false;
    tick();
  });

  return (next) => {
    const all = [...next.entries, ...(next.me?.neighbours ?? []), ...(next.me ? [next.me] : [])];
    const later = board?.starts_at === next.starts_at ? Date.parse(next.as_of) - Date.parse(board.as_of) : 0;
    // Continues within the server's whole second, so that no second is shown twice.
    const ahead = board && later > 0 ? gone() - later : 0;
    // A studying member whose seconds did not grow has reached the cap.
    const before = new Map(later >= 2000 ? active.map(({ uid, seconds }) => [uid, seconds]) : []);
    lead = Math.abs(ahead) < 2500 ? Math.min(Math.max(ahead, 0), 999) : 0;
    active = next.state === "open" ? all.filter(({ studying }) => studying) : [];
    active = active.map(({ uid, seconds }) => ({ uid, seconds, stands: before.get(uid) === seconds }));
    board = next;
    received = performance.now();
    tick();
  };
}
