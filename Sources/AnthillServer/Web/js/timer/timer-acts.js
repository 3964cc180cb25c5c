import { words } from "../words/i18n.js";

/**
 * What the user can do with a timer now, the likeliest first: `{name, picture, label}`, with the API's `name`. `past` tells
 * whether its end has passed.
 */
export function timerActs(watch, past) {
  const act = (name, picture, label) => ({ name, picture, label });
  const stop = act("stop", "stop", words.timer.stop);
  if (watch.state === "idle") return [act("start", "play", words.timer.start)];
  if (watch.resting) return [act("resume", "play", words.timer.work), stop];
  if (watch.state === "paused") return [act("resume", "play", words.timer.resume), stop];
  if (watch.phase) return [act("pause", "pause", words.timer.rest), stop];
  if (past) return [stop, act("pause", "pause", words.timer.pauseShort)];
  return [act("pause", "pause", words.timer.pause), stop];
}
