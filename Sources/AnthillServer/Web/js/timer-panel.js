import { get, post } from "./api.js";
import { art, button, h, icon, spoken } from "./dom.js";
import { said } from "./form.js";
import { pebbles } from "./frame.js";
import { words } from "./i18n.js";
import { recall, remember } from "./memory.js";
import { announce, notice } from "./notices.js";
import { ring } from "./ring.js";
import { Stopwatch, everySecond } from "./stopwatch.js";
import { clock, dayName, hm } from "./time.js";

const goals = [0, 1500, 3000, 3600, 5400, 7200, 10800, 14400];

/** Today above the ground, the timer below it. `changed()` is called when study was recorded. */
export class TimerPanel {
  constructor(changed) {
    this.changed = changed;
    this.ring = ring();
    this.sky = h("div", { class: "sky" });
    this.acts = h("div", { class: "acts" });
    this.message = h("div", { class: "message" });
    this.goal = Number(recall("goal") ?? 0);
    this.goalPicker = this.pickGoal();
    const soil = h("div", { class: "soil" }, pebbles(), this.ring.root, this.acts, this.message);
    this.root = h("section", { class: "hero o1", "aria-label": words.home.panel }, this.sky, soil);
  }

  /** Asks the server for timer and day. */
  async refresh() {
    const [timer, today] = await Promise.all([get("/me/timer"), get("/me/today")]);
    this.today = today;
    this.take(timer);
  }

  /** Shows the timer as the server just described it. */
  take(timer) {
    const before = this.watch?.state;
    const watch = new Stopwatch(timer);
    this.watch = watch;
    this.secondsThen = watch.seconds;
    if (before !== watch.state) this.offer();
    everySecond(watch, () => this.watch === watch && this.show());
  }

  show() {
    const { watch } = this;
    if (watch.slept && watch.state === "running") {
      this.refresh().catch(() => {});
      return false;
    }
    this.ring.show(watch, this.goal || null);
    this.showToday();
    if (watch.state === "running") {
      const left = watch.remaining === null ? watch.seconds : watch.remaining;
      document.title = `${left < 0 ? `+${clock(-left)}` : clock(left)} · ${words.brand}`;
      const past = left <= 0 && watch.goal !== null;
      if (past && this.past === false) announce(words.timer.goalReached);
      if (past !== this.past) this.offer(past);
      this.past = past;
    } else {
      document.title = `${words.home.title} · ${words.brand}`;
      this.past = null;
    }
    return true;
  }

  showToday() {
    const { today, watch } = this;
    const live = today.study_seconds + (watch.state === "running" ? watch.seconds - this.secondsThen : 0);
    const key = JSON.stringify([Math.floor(live / 60), today]);
    if (this.shownToday === key) return;
    this.shownToday = key;
    const growth = live === 0 && watch.state === "idle" ? "rest" : today.growth;
    const met = live >= today.goal_seconds;
    this.sky.replaceChildren(
      h(
        "dl",
        {},
        h("dt", {}, words.home.today(dayName(today.day))),
        h(
          "dd",
          { class: "line1" },
          h("span", { class: "big", id: "today", "data-seconds": live }, spoken(hm(live), words.duration(live))),
          h(
            "span",
            { class: met ? "chip leaf" : "chip" },
            met ? words.home.goalMet : words.home.ofGoal(hm(today.goal_seconds)),
          ),
          met && art("stamp-study-s", "a-24 st", words.landing.stampName),
        ),
        h("dd", { class: "small muted" }, words.home.compared(live - today.yesterday_seconds)),
      ),
      art(growth, "plant", words.growth[growth]),
    );
  }

  /** The buttons for the state; the first is what one most likely wants. */
  offer(past = false) {
    const hadFocus = this.acts.contains(document.activeElement);
    const act = (name, picture, label, className = "btn") =>
      button([icon(picture), label], () => this.act(name), className);
    const buttons = {
      idle: () => [act("start", "play", words.timer.start), this.goalPicker],
      running: () =>
        past
          ? [act("stop", "stop", words.timer.stop), act("pause", "pause", words.timer.pauseShort, "btn quiet")]
          : [act("pause", "pause", words.timer.pause), act("stop", "stop", words.timer.stop, "btn quiet")],
      paused: () => [act("resume", "play", words.timer.resume), act("stop", "stop", words.timer.stop, "btn quiet")],
    };
    this.acts.replaceChildren(...buttons[this.watch.state]());
    if (hadFocus) this.acts.querySelector("button").focus();
  }

  async act(name) {
    if (this.busy) return;
    this.busy = true;
    this.message.replaceChildren();
    try {
      const answer = await post(`/me/timer/${name}`, name === "start" && this.goal ? { goal_seconds: this.goal } : {});
      if (name === "stop") await this.finish(answer.session);
      else {
        this.take(answer);
        announce(words.timer.announce[name]);
        if (name !== "resume") this.changed();
      }
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      this.message.replaceChildren(notice("apple", "info", null, said(problem), { role: "alert" }));
      if (problem.status === 409) await this.refresh().catch(() => {});
    } finally {
      this.busy = false;
    }
  }

  async finish(session) {
    await this.refresh();
    const finished = words.timer.finished(words.duration(session.seconds));
    const text = session.state === "unconfirmed" ? words.timer.unconfirmed : finished;
    this.message.replaceChildren(notice("leaf", "done", null, text));
    announce(text);
    this.changed();
  }

  pickGoal() {
    const options = goals.map((seconds) =>
      h(
        "option",
        { value: seconds, selected: seconds === this.goal },
        seconds ? words.duration(seconds) : words.timer.noGoal,
      ),
    );
    const onchange = ({ target }) => {
      this.goal = Number(target.value);
      remember("goal", target.value);
      this.show();
    };
    const list = h("select", { class: "in", "aria-label": words.timer.pickGoal, onchange }, options);
    return h("div", { class: "sel aim" }, list, icon("down"));
  }
}
