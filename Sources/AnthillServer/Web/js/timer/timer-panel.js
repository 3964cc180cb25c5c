import { perfectAnt } from "../calendar/perfect-ant.js";
import { sky } from "../calendar/sky.js";
import { askOnce, tell } from "../device/bell.js";
import { allowSound } from "../device/sound.js";
import { idle, onTimerHere, timerShown } from "../offline/timer-here.js";
import { art, button, h, icon } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { get } from "../server/api.js";
import { pebbles } from "../shell/frame.js";
import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { face } from "./face.js";
import { pressed } from "./pressing.js";
import { purposeName } from "./purpose.js";
import { ring } from "./ring.js";
import { everySecond, Stopwatch } from "./stopwatch.js";
import { timerActs } from "./timer-acts.js";
import { TimerChoice } from "./timer-choice.js";
import { correctTimer } from "./timer-sheet.js";

/** Today above the ground, the timer below it. `changed()` is called when study was recorded. */
export class TimerPanel {
  constructor(user, changed) {
    Object.assign(this, { user, changed, done: 0 });
    this.ring = ring();
    this.sky = sky();
    this.choice = new TimerChoice(user, () => this.watch && this.show());
    this.acts = h("div", { class: "acts" });
    this.message = h("div", { class: "message" });
    this.correct = button(art("i-pencil", "i-s"), () => this.openSheet(), "btn text icon correct", {
      "aria-label": words.timer.correct.open,
    });
    const dial = h("div", { class: "dial" }, this.ring.root, this.choice.beside);
    this.soil = h("div", { class: "soil" }, pebbles(), this.choice.radios, dial, this.acts, this.message, this.correct);
    this.root = h("section", { class: "hero o1", "aria-label": words.home.panel }, this.sky.root, this.soil);
    for (const press of ["pointerdown", "keydown"]) addEventListener(press, () => user.sounds && allowSound());
    onTimerHere(() => this.renew());
  }

  /** Shows the timer as it is now; without a connection as this device knows it. */
  renew() {
    return this.refresh().catch(() => this.take(timerShown(this.told)));
  }

  /** Asks the server for timer and day. */
  async refresh() {
    const { done } = this;
    const [timer, today] = await Promise.all([get("/me/timer"), get("/me/today")]);
    // Something was done meanwhile: this may be how it was before.
    if (done !== this.done) return this.refresh();
    const ran = this.watch && this.watch.state !== "idle";
    // It counts on from when it came, also when it is shown again.
    Object.assign(this, { today, told: { received: performance.now(), ...timer } });
    this.take(timerShown(this.told));
    perfectAnt(today);
    // It ended on another device, or at the longest interval.
    if (ran && this.watch.state === "idle" && !this.busy) this.changed();
  }

  /** Shows the timer as the server just described it, or as this device runs it. */
  take(timer) {
    const watch = new Stopwatch(timer, this.watch);
    const same = this.watch?.is === watch.is;
    Object.assign(this, { timer, watch });
    this.secondsThen = watch.seconds;
    if (!same) {
      this.past = null;
      this.offered = null;
    }
    if (watch.state !== "idle") this.nameWhat(timer);
    everySecond(watch, () => this.watch === watch && this.show());
  }

  /** Shows in the ring what is studied. */
  async nameWhat(timer) {
    const name = await purposeName(timer).catch(() => null);
    if (name === this.name) return;
    this.name = name;
    this.show();
  }

  show() {
    const { watch } = this;
    if (watch.slept && watch.moves && !this.asking) {
      this.asking = true;
      this.refresh()
        .catch(() => {})
        .finally(() => {
          this.asking = false;
        });
    }
    const shown = face(watch, this.choice, this.name);
    this.ring.show(shown);
    const since = watch.state === "running" ? watch.seconds - this.secondsThen : 0;
    this.sky.show(this.today, this.today.study_seconds + since, watch.state === "idle");
    document.title = `${shown.title ?? words.home.title} · ${words.brand}`;
    if (shown.past && this.past === false) this.reached();
    this.past = watch.moves ? shown.past : null;
    this.offer(shown.past);
    return true;
  }

  /** A countdown or phase just ended on this open page. */
  reached() {
    const { watch, user } = this;
    const kind = watch.phase?.kind ?? "study";
    const text = words.timer.reached[kind](words.duration(watch.aim));
    announce(text, { seen: true });
    tell(user, `${watch.is},${watch.aim}`, text, kind !== "rest");
  }

  /** Shows the buttons for the state, the likeliest first. */
  offer(past) {
    const { watch } = this;
    const offered = `${watch.is} ${past}`;
    if (this.offered === offered) return;
    this.offered = offered;
    const hadFocus = this.acts.contains(document.activeElement);
    this.acts.replaceChildren(...this.buttons(past));
    if (hadFocus) this.acts.querySelector("button").focus();
    const idle = watch.state === "idle";
    this.soil.classList.toggle("idle", idle);
    for (const part of [this.choice.radios, this.choice.beside]) part.hidden = !idle;
    this.correct.hidden = idle;
  }

  buttons(past) {
    return timerActs(this.watch, past).map(({ name, picture, label }, index) =>
      button([icon(picture), label], () => this.act(name), index === 0 ? "btn" : "btn quiet"),
    );
  }

  /** Does one of these if the user can do it now; false if not. */
  actIfOffered(...names) {
    const offered = timerActs(this.watch, this.past).find(({ name }) => names.includes(name));
    if (offered) this.act(offered.name);
    return Boolean(offered);
  }

  /** Does what was pressed. Another press waits until it is done; the same one again was a double click. */
  async act(name) {
    if (this.busy) {
      if (name !== this.busy) this.next = name;
      return;
    }
    this.busy = name;
    this.message.replaceChildren();
    if (name === "start" && this.choice.aim) askOnce(this.user);
    const slow = setTimeout(() => this.message.replaceChildren(notice("", "clock", null, words.form.sending)), 700);
    try {
      const answer = await pressed(name, name === "start" ? this.choice.body : {}, () => [this.timer, this.watch.seconds]);
      this.message.replaceChildren();
      if (answer.here) {
        this.take(answer.here);
        // What waits is the line that says so, with the way to undo it.
        const kept = name === "stop" ? document.querySelector(".acts-kept li:last-child") : null;
        kept?.scrollIntoView({ block: "nearest" });
        announce(words.offline.timer[name], { seen: Boolean(kept) });
        return;
      }
      this.done += 1;
      if (name === "start") this.choice.study({ ...this.choice.purpose, note: null });
      if (name === "stop") await this.finish(answer.session);
      else {
        this.told = { received: performance.now(), ...answer };
        this.take(timerShown(this.told));
        const said = this.watch.phase ? `${name}InCycle` : name;
        announce(words.timer.announce[said], { seen: true });
        if (name !== "resume") this.changed();
      }
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      this.complain(problem);
      if (problem.status === 409) await this.refresh().catch(() => {});
      if (["subject_id", "task_id"].includes(problem.field)) this.choice.forget();
    } finally {
      clearTimeout(slow);
      const { next } = this;
      this.busy = this.next = null;
      if (next) this.act(next);
    }
  }

  complain(problem) {
    this.message.replaceChildren(notice("apple", "info", null, said(problem), { role: "alert" }));
  }

  async finish(session) {
    // It has ended, also if nothing more can be asked.
    this.told = idle();
    await this.renew();
    const finished = words.timer.finished(words.duration(session.seconds));
    const text = session.state === "unconfirmed" ? words.timer.unconfirmed : finished;
    this.message.replaceChildren(notice("leaf", "done", null, text));
    announce(text, { seen: true });
    this.changed();
  }

  openSheet() {
    correctTimer(this.watch, this.user.study_clock, this.name, {
      cancel: () => this.act("cancel"),
      moved: (timer) => {
        this.done += 1;
        this.take(timer);
        announce(words.timer.correct.moved);
        this.changed();
      },
    });
  }
}
