import { recall, remember } from "../device/memory.js";
import { button, h, icon } from "../parts/dom.js";
import { segmented } from "../parts/segmented.js";
import { words } from "../words/i18n.js";
import { planTitle } from "./face.js";
import { chooseLength } from "./length-sheet.js";
import { choosePlan } from "./plan-sheet.js";
import { purposeName } from "./purpose.js";
import { choosePurpose } from "./purpose-sheet.js";

const modes = ["stopwatch", "countdown", "cycle"];
const nothing = { subject_id: null, task_id: null, note: null };
const firstPlan = { name: "25/5", work_seconds: 1500, rest_seconds: 300 };

/** How the next timer shall count and what for: the radios above the ring, and what is beside it. */
export class TimerChoice {
  /** `changed()` at each choice. */
  constructor(user, changed) {
    this.user = user;
    this.changed = changed;
    this.mode = modes.includes(recall("mode")) ? recall("mode") : modes[0];
    this.length = user.default_timer_seconds;
    this.cycle = kept() ?? firstPlan;
    this.purpose = { ...nothing, subject_id: recall("subject"), task_id: recall("task") };
    const named = modes.map((mode) => [mode, words.timer.modes[mode]]);
    this.radios = segmented("mode", words.timer.mode, named, this.mode, (mode) => {
      this.mode = mode;
      remember("mode", mode);
      this.show();
    });
    this.aimButton = pickButton(() => this.chooseAim());
    this.purposeButton = pickButton(() => choosePurpose(this.purpose, (purpose) => this.study(purpose)));
    this.beside = h("div", { class: "beside" }, this.aimButton, this.purposeButton);
    this.show();
    this.study(this.purpose);
  }

  /** Seconds until the first end; null without one. */
  get aim() {
    return { stopwatch: null, countdown: this.length, cycle: this.cycle.work_seconds }[this.mode];
  }

  get plan() {
    return this.mode === "cycle" ? this.cycle : null;
  }

  /** What the server is told at the start. */
  get body() {
    const how = { stopwatch: {}, countdown: { goal_seconds: this.length }, cycle: { plan: this.cycle } };
    const what = Object.entries(this.purpose).filter(([, value]) => value !== null);
    return { ...how[this.mode], ...Object.fromEntries(what) };
  }

  chooseAim() {
    const { cycle, length, user } = this;
    if (this.mode === "countdown") return chooseLength(user, length, (seconds) => this.take({ length: seconds }));
    choosePlan(cycle, (chosen) => {
      remember("plan", JSON.stringify(chosen));
      this.take({ cycle: chosen });
    });
  }

  /** Says what is studied next; what is there no more is forgotten. */
  async study(purpose) {
    this.purpose = purpose;
    try {
      this.name = await purposeName(purpose);
    } catch (problem) {
      if (problem.status === 404) this.purpose = nothing;
      else if (!("status" in problem)) throw problem;
      this.name = null;
    }
    this.show();
  }

  /** Nothing is chosen any more. */
  forget() {
    return this.study(nothing);
  }

  show() {
    const { mode, name } = this;
    this.aimButton.hidden = mode === "stopwatch";
    if (mode === "countdown") label(this.aimButton, words.timer.length.title, words.duration(this.length));
    if (mode === "cycle") label(this.aimButton, words.timer.plan.title, planTitle(this.cycle));
    label(this.purposeButton, words.timer.purpose.title, name ?? words.timer.purpose.none);
    this.changed();
  }

  take(choice) {
    Object.assign(this, choice);
    this.show();
  }
}

const pickButton = (open) => button([h("span"), icon("down")], open, "btn quiet pick");

function label(pick, title, shown) {
  pick.firstChild.textContent = shown;
  pick.setAttribute("aria-label", `${title}: ${shown}`);
}

/** The plan chosen last in this browser, if it can still be read. */
function kept() {
  try {
    const { name, work_seconds: work, rest_seconds: rest } = JSON.parse(recall("plan"));
    const fits = [work, rest].every((each) => Number.isInteger(each) && each >= 60) && work + rest <= 86_400;
    return fits ? { name: name ?? null, work_seconds: work, rest_seconds: rest } : null;
  } catch {
    return null;
  }
}
