import { words } from "../words/i18n.js";
import { clock, hm } from "../words/time.js";

const minutes = (seconds) => (seconds % 60 ? clock(seconds) : String(seconds / 60));

/** What a plan is called: its own name, or its minutes of work and rest. */
export const planTitle = ({ name, work_seconds: work, rest_seconds: rest }) => name ?? `${minutes(work)}/${minutes(rest)}`;

const toMinute = (seconds) => Math.floor(seconds / 60) * 60;

/**
 * What the ring, the tab's title and screen readers show of a timer now. `choice` is what would be started, `subject`
 * the name of what is studied.
 */
export function face(watch, choice, subject) {
  const { state, plan, phase, resting, done, aim, left, seconds } = watch;
  if (state === "idle") return beforeStart(choice);
  const past = left !== null && left <= 0;
  const held = state === "paused";
  const cycle = phase && { title: planTitle(plan), number: phase.number };
  const figure = past ? `+${clock(-left)}` : clock(left ?? done);
  const kind = resting ? "rest" : held ? "paused" : cycle ? "work" : "study";
  const above = (past ? words.timer.over : words.timer.during)[kind](cycle);
  const below = {
    rest: () => words.timer.left[past ? "extra" : "rest"],
    other: () =>
      past ? words.timer.altogether(hm(seconds)) : aim === null ? words.timer.open : `${clock(done)} / ${clock(aim)}`,
  };
  return {
    part: aim ? Math.min(1, done / aim) : (done % 3600) / 3600,
    done,
    held,
    resting,
    past,
    above: (!past && !held && subject) || above,
    figure,
    below: below[resting ? "rest" : "other"](),
    label: words.timer.label[past ? "over" : kind]({
      subject,
      resting,
      studied: toMinute(seconds),
      aim,
      left: aim === null ? null : Math.abs(aim - toMinute(done)),
    }),
    title: state === "running" ? figure : resting ? words.timer.restTitle(figure) : null,
  };
}

function beforeStart({ aim, plan }) {
  return {
    part: 0,
    done: 0,
    above: words.timer.ready,
    figure: clock(aim ?? 0),
    below: plan ? words.timer.restOf(clock(plan.rest_seconds)) : aim ? words.timer.countdown : words.timer.open,
    label: words.timer.label.idle(aim),
    title: null,
  };
}
