import { button, h, icon } from "./dom.js";
import { words } from "./i18n.js";
import { chooseLength } from "./length-sheet.js";
import { recall, remember } from "./memory.js";
import { segmented } from "./segmented.js";

const modes = ["stopwatch", "countdown"];

/** How the next timer shall count: the radios above the ring, and what is beside it. `changed()` at each choice. */
export class TimerChoice {
  constructor(user, changed) {
    this.user = user;
    this.changed = changed;
    this.mode = modes.includes(recall("mode")) ? recall("mode") : modes[0];
    this.length = user.default_timer_seconds;
    const named = modes.map((mode) => [mode, words.timer.modes[mode]]);
    this.radios = segmented("mode", words.timer.mode, named, this.mode, (mode) => {
      this.mode = mode;
      remember("mode", mode);
      this.show();
    });
    this.beside = h("div", { class: "beside" });
    this.show();
  }

  /** Seconds until the first end; null without one. */
  get aim() {
    return { stopwatch: null, countdown: this.length }[this.mode];
  }

  /** What the server is told at the start. */
  get body() {
    return { stopwatch: {}, countdown: { goal_seconds: this.length } }[this.mode];
  }

  show() {
    const pick = (label, shown, open) =>
      button([h("span", {}, shown), icon("down")], open, "btn quiet pick", { "aria-label": `${label}: ${shown}` });
    const offered = {
      stopwatch: () => null,
      countdown: () =>
        pick(words.timer.length.title, words.duration(this.length), () =>
          chooseLength(this.user, this.length, (seconds) => this.take({ length: seconds })),
        ),
    };
    this.beside.replaceChildren(...[offered[this.mode]()].filter(Boolean));
    this.changed();
  }

  take(choice) {
    Object.assign(this, choice);
    this.show();
    this.beside.querySelector("button").focus();
  }
}
