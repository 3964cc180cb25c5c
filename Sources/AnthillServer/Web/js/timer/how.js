// How the next timer counts: `{mode, length, cycle}`.

import { recall } from "../device/memory.js";

export const modes = ["stopwatch", "countdown", "cycle"];
const firstCycle = { name: "25/5", work_seconds: 1500, rest_seconds: 300 };

/** As this browser last chose it; the length of a countdown is the account's own. */
export const lastHow = (user) => ({
  mode: modes.includes(recall("mode")) ? recall("mode") : modes[0],
  length: user.default_timer_seconds,
  cycle: lastCycle() ?? firstCycle,
});

/** Seconds until the first end; null without one. */
export const aimOf = ({ mode, length, cycle }) => ({ stopwatch: null, countdown: length, cycle: cycle.work_seconds })[mode];

/** What the server is told of it at the start. */
export const startBody = ({ mode, length, cycle }) =>
  ({ stopwatch: {}, countdown: { goal_seconds: length }, cycle: { plan: cycle } })[mode];

/** The cycle chosen last in this browser, if it can still be read. */
function lastCycle() {
  try {
    const { name, work_seconds: work, rest_seconds: rest } = JSON.parse(recall("plan"));
    const fits = [work, rest].every((each) => Number.isInteger(each) && each >= 60) && work + rest <= 86_400;
    return fits ? { name: name ?? null, work_seconds: work, rest_seconds: rest } : null;
  } catch {
    return null;
  }
}
