import { remember } from "../device/memory.js";
import { button, h, icon } from "../parts/dom.js";
import { segmented } from "../parts/segmented.js";
import { words } from "../words/i18n.js";
import { planTitle } from "./face.js";
import { aimOf, lastHow, modes, startBody } from "./how.js";
import { chooseLength } from "./length-sheet.js";
import { choosePlan } from "./plan-sheet.js";
import { lastChosen } from "./pressing.js";
import { purposeName } from "./purpose.js";
import { choosePurpose } from "./purpose-sheet.js";

const nothing = { subject_id: null, task_id: null, note: null };

/** The settings of the next timer: the radios above the ring and the buttons beside it. */
export class TimerChoice {
  /** `changed()` at each choice. */
  constructor(user, changed) {
    this.user = user;
    this.changed = changed;
    Object.assign(this, lastHow(user));
    this.purpose = { ...nothing, ...lastChosen() };
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
    return aimOf(this);
  }

  get plan() {
    return this.mode === "cycle" ? this.cycle : null;
  }

  /** What the server is told at the start. */
  get body() {
    const what = Object.entries(this.purpose).filter(([, value]) => value !== null);
    return { ...startBody(this), ...Object.fromEntries(what) };
  }

  chooseAim() {
    const { cycle, length, user } = this;
    if (this.mode === "countdown") return chooseLength(user, length, (seconds) => this.take({ length: seconds }));
    choosePlan(cycle, (chosen) => {
      remember("plan", JSON.stringify(chosen));
      this.take({ cycle: chosen });
    });
  }

  /** Sets what is studied next; forgets what no longer exists. */
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
