// How the next timer counts: `{mode, length, cycle}`.

import { recall } from "../device/memory.js";
import { numbers } from "../words/numbers.js";

export const modes = ["stopwatch", "countdown", "cycle"];
const firstCycle = { name: "25/5", work_seconds: 1500, rest_seconds: 300 };

/** As last chosen in this browser; the length of a countdown comes from the account. */
export const lastHow = (user) => ({
  mode: modes.includes(recall("mode")) ? recall("mode") : modes[0],
  length: user.default_timer_seconds,
  cycle: lastCycle() ?? firstCycle,
});

/** Seconds until the first end; null without one. */
export const aimOf = ({ mode, length, cycle }) => ({ stopwatch: null, countdown: length, cycle: cycle.work_seconds })[mode];

/** The part of the start request that says so. */
export const startBody = ({ mode, length, cycle }) =>
  ({ stopwatch: {}, countdown: { goal_seconds: length }, cycle: { plan: cycle } })[mode];

/** The cycle chosen last in this browser, if it can still be read. */
function lastCycle() {
  try {
    const { name, work_seconds: work, rest_seconds: rest } = JSON.parse(recall("plan"));
    const fits = [work, rest].every((each) => Number.isInteger(each) && each >= numbers.shortest_length) && work + rest <= 86_400;
    return fits ? { name: name ?? null, work_seconds: work, rest_seconds: rest } : null;
  } catch {
    return null;
  }
}
