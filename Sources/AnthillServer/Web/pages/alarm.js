import { puzzle } from "../js/alarm/puzzle.js";
import { ringer } from "../js/alarm/ringing.js";
import { perfectAnt } from "../js/calendar/perfect-ant.js";
import { allowSound, playAlarm } from "../js/device/sound.js";
import { art, b, button, h, icon } from "../js/parts/dom.js";
import { complaint, said, timeInput } from "../js/parts/form.js";
import { helpLink } from "../js/parts/help-link.js";
import { line } from "../js/parts/line.js";
import { segmented } from "../js/parts/segmented.js";
import { get, put } from "../js/server/api.js";
import { memberPage } from "../js/shell/frame.js";
import { announce, fill, notice } from "../js/shell/notices.js";
import { alarmWords } from "../js/words/alarm/i18n.js";
import { words } from "../js/words/i18n.js";
import { dayAndTime } from "../js/words/time.js";

memberPage({ title: words.alarm.title, current: "me" }, async (main) => {
  const place = h("div");
  main.append(h("div", { class: "head" }, h("h1", {}, words.alarm.title)), place);
  await fill(place, async () => {
    const alarm = await get("/me/alarm");
    const now = nowCard();
    const setting = settingCard(alarm, show);
    // While there is a problem to solve, it comes first.
    function show(latest) {
      now.show(latest);
      setting.save.classList.toggle("quiet", Boolean(latest.window));
    }
    show(alarm);
    ringer.show = show;
    return h("div", { class: "alarm" }, now.root, setting.root);
  });
});

/** The problem while the alarm rings, otherwise the time of the next ring. */
function nowCard() {
  const root = h("div", { class: "stackup" });
  let shown = null;
  let won = null;

  /** Shows the alarm as the server just described it; a problem already on the page stays. */
  function show(alarm) {
    const { window: ring } = alarm;
    const key = JSON.stringify([ring?.opened_at, ring?.tries_left === 0, alarm.rings_at[0], alarm.earned_today, alarm.enabled]);
    if (key === shown) return;
    shown = key;
    if (won && !ring) {
      root.replaceChildren(won, next(alarm));
      won = null;
    } else if (ring && ring.tries_left > 0) {
      const finish = (text) => {
        const line = h("p", { class: "muted" }, text);
        won = winner(line);
        root.replaceChildren(won);
        ringer.look();
        // If the day's goal is already met, it is a perfect ant at once.
        get("/me/today").then(
          (today) => {
            if (today.ants.perfect) line.textContent = alarmWords.wonPerfect;
            return perfectAnt(today);
          },
          () => {},
        );
      };
      root.replaceChildren(puzzle(alarm, finish, ringer.look));
    } else {
      root.replaceChildren(...[ring && notice("honey", "bell", null, words.alarm.tired), next(alarm)].filter(Boolean));
    }
  }
  return { root, show };
}

const winner = (line) =>
  h(
    "section",
    { class: "card empty won" },
    art("stamp-wake", "st", words.ants.wake),
    h("h2", { tabindex: "-1" }, alarmWords.wonTitle),
    line,
  );

function next({ enabled, rings_at: [first, ...others], time_zone: zone, earned_today: earned }) {
  const told = first
    ? [alarmWords.next, b(dayAndTime(first, zone)), others.length > 0 && alarmWords.andAgain(others.length)]
    : [enabled ? alarmWords.none : alarmWords.off];
  return h(
    "section",
    { class: "card next", "aria-label": alarmWords.rings },
    earned ? art("stamp-wake-s", "a-32 st", words.ants.wake) : icon("bell"),
    h(
      "div",
      {},
      earned && h("p", {}, b(alarmWords.earned)),
      h("p", { id: "next-ring" }, told),
      h("p", { class: "small muted" }, alarmWords.openPage),
    ),
  );
}

const apart = [1, 2, 3, 5, 10, 15, 20, 30, 60];

/** The settings, saved together; the switch saves them at once. */
function settingCard(alarm, changed) {
  const wanted = { ...alarm };
  const place = h("div", { role: "alert" });
  const onchange =
    (name, read) =>
    ({ target }) => {
      wanted[name] = read(target);
    };
  const enabled = h("input", {
    type: "checkbox",
    class: "sw",
    role: "switch",
    id: "enabled",
    checked: alarm.enabled,
    onchange: async () => {
      wanted.enabled = enabled.checked;
      if (!(await store(announce))) wanted.enabled = enabled.checked = !wanted.enabled;
    },
  });
  const time = timeInput({ id: "time", value: alarm.time, onchange: onchange("time", ({ value }) => value) });
  const { error, complain } = complaint(time);
  const refuse = (trouble) => {
    complain(trouble);
    time.focus();
  };
  const pick = (name) => (value) => {
    wanted[name] = value;
  };
  const text = alarmWords;
  const options = (name) => Object.entries(text[name]);
  const again = (name, label, values, shown) => {
    const all = values.map((value) => h("option", { value, selected: value === alarm.repeat[name] }, shown(value)));
    const onpick = ({ target }) => {
      wanted.repeat = { ...wanted.repeat, [name]: Number(target.value) };
    };
    return h("div", { class: "sel" }, h("select", { class: "in", "aria-label": label, onchange: onpick }, all), icon("down"));
  };
  const listen = () => {
    allowSound();
    playAlarm(wanted.sound);
  };
  const submit = h("button", { class: "btn wide" }, words.save);

  const onsubmit = (event) => {
    event.preventDefault();
    store((trouble) => place.replaceChildren(notice("apple", "info", null, trouble)));
  };

  /** Whether they are saved; `tell(trouble)` says why not. */
  async function store(tell) {
    if (submit.disabled) return false;
    place.replaceChildren();
    complain("");
    if (!time.checkValidity()) {
      refuse(words.form.lacking(time));
      return false;
    }
    submit.disabled = true;
    const { enabled: on, time: at, difficulty, sound, repeat } = wanted;
    try {
      const kept = await put("/me/alarm", { enabled: on, time: at, difficulty, sound, repeat });
      changed(kept);
      announce(kept.enabled ? text.saved : text.savedOff);
      ringer.look();
      return true;
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      (problem.field === time.id ? refuse : tell)(said(problem));
      return false;
    } finally {
      submit.disabled = false;
    }
  }

  const every = [...new Set([...apart, alarm.repeat.every_minutes])].sort((x, y) => x - y);
  const times = Array.from({ length: 11 }, (_, count) => count);
  const root = h(
    "form",
    { class: "card", "aria-labelledby": "setting", novalidate: true, onsubmit },
    h("header", {}, h("h2", { id: "setting" }, h("label", { for: "enabled" }, text.on)), enabled),
    h("ul", { class: "set" }, [
      line(
        h("label", { for: "time" }, b(text.at)),
        text.atHint(alarm.time_zone),
        h("div", { class: "field" }, time, error),
        false,
      ),
      line(
        b(text.difficulty),
        text.difficultyHint,
        segmented("difficulty", text.difficulty, options("difficulties"), alarm.difficulty, pick("difficulty")),
      ),
      line(b(text.sound), null, [
        segmented("sound", text.sound, options("sounds"), alarm.sound, pick("sound")),
        button([icon("play"), text.listen], listen, "btn text small"),
      ]),
      line(
        b(text.again),
        null,
        h("div", { class: "pair" }, [
          again("times", text.times, times, text.timesOf),
          again("every_minutes", text.every, every, text.everyOf),
        ]),
      ),
    ]),
    h("p", { class: "small muted rule" }, text.rule),
    helpLink("alarm"),
    place,
    submit,
  );
  return { root, save: submit };
}
