import { after } from "../device/after.js";

/**
 * A timer as the server described it, continued by this device's monotonic clock. It only displays; the server counts.
 * `earlier` is the watch shown until now: this one continues within the same second, so that none is shown twice.
 */
export class Stopwatch {
  constructor(timer, earlier = null) {
    const { state, elapsed_seconds: elapsed, goal_seconds: goal, session, plan, phase, server_time: asOf } = timer;
    Object.assign(this, { state, elapsed, asOf: Date.parse(asOf), goal: goal ?? null, session: session ?? null });
    Object.assign(this, { plan: plan ?? null, phase: phase ?? null });
    this.received = timer.received ?? performance.now();
    this.receivedByWall = Date.now() - (performance.now() - this.received);
    this.lead = 0;
    const ahead = earlier?.moves && earlier.is === this.is ? earlier.exact - this.exact : 0;
    if (Math.abs(ahead) < 2500) this.lead = Math.min(Math.max(ahead, 0), 999);
  }

  /** What is being counted: this stretch of this session. */
  get is() {
    return [this.session?.id, this.state, this.phase?.kind, this.phase?.number].join();
  }

  /** Whether the clock advances: while study runs, and in the rest of a cycle. */
  get moves() {
    return this.state === "running" || this.resting;
  }

  get resting() {
    return this.phase?.kind === "rest";
  }

  /** Milliseconds since the server's answer, by the monotonic clock and by the wall clock. */
  get gone() {
    return [performance.now() - this.received, Date.now() - this.receivedByWall];
  }

  /** Whether the device slept, which stops the monotonic clock: time to ask the server again. */
  get slept() {
    const [monotonic, wall] = this.gone;
    return wall - monotonic > 2000;
  }

  /** The server's time. */
  get now() {
    return new Date(this.asOf + Math.max(...this.gone));
  }

  get since() {
    return this.moves ? this.gone[this.slept ? 1 : 0] + this.lead : 0;
  }

  get exact() {
    return (this.phase?.elapsed_seconds ?? this.elapsed) * 1000 + this.since;
  }

  /** Whole seconds studied in this session. */
  get seconds() {
    return this.elapsed + (this.state === "running" ? Math.floor(this.since / 1000) : 0);
  }

  /** Whole seconds of the phase of a cycle, or of the session. */
  get done() {
    return Math.floor(this.exact / 1000);
  }

  /** The planned length; null without an end. */
  get aim() {
    return this.phase?.length_seconds ?? this.goal;
  }

  /** Seconds until its end, negative past it, null without one. */
  get left() {
    return this.aim === null ? null : this.aim - this.done;
  }
}

/** Calls `show` now and whenever the watch's second changes; stops when it returns false. */
export function everySecond(watch, show) {
  if (show() === false || !watch.moves) return;
  after(1000 - (watch.since % 1000) + 5, () => everySecond(watch, show));
}
