/** A timer as the server described it, read on by this device's monotonic clock: it shows, and never decides. */
export class Stopwatch {
  constructor({ state, elapsed_seconds: elapsed, goal_seconds: goal = null, session = null }) {
    Object.assign(this, { state, elapsed, goal, session });
    this.received = performance.now();
    this.receivedByWall = Date.now();
  }

  /** Milliseconds since the server's answer; nothing moves on unless the timer runs. */
  get since() {
    return this.state === "running" ? performance.now() - this.received : 0;
  }

  /** Whole seconds studied in this session. */
  get seconds() {
    return this.elapsed + Math.floor(this.since / 1000);
  }

  /** Seconds until the goal, negative past it, null without one. */
  get remaining() {
    return this.goal === null ? null : this.goal - this.seconds;
  }

  /** Whether the device slept, so that its monotonic clock stood still: time to ask the server again. */
  get slept() {
    return Math.abs(Date.now() - this.receivedByWall - (performance.now() - this.received)) > 2000;
  }
}

/** Shows now and at each turn of the watch's second, so that no second is late; stops when it answers false. */
export function everySecond(watch, show) {
  if (show() === false || watch.state !== "running") return;
  setTimeout(() => everySecond(watch, show), 1000 - (watch.since % 1000) + 5);
}
