import { recall } from "../device/memory.js";
import { dropAct, keepAct, sessionAct } from "../offline/acts.js";
import { amend } from "../offline/sending.js";
import { button, h } from "../parts/dom.js";
import { field, form, input, timeInput } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, post, uuid } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { announce } from "../shell/notices.js";
import { subjectPicker } from "../tasks/subject-picker.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { addDays, instantAt, rfc3339, studyDay, timeOfDay, todayIn } from "../words/time.js";

/**
 * The sheet to add a session by hand: study day, start, and either end or minutes; and its subject, the last one first.
 * Calls `done()` once it is recorded, or kept for when there is a connection. `draft` is a session that was kept and refused.
 */
export function logSession(clock, done, draft) {
  const { time_zone: zone, day_starts_at: dawn } = clock;
  const today = () => studyDay(serverNow(), clock);
  const time = (instant) => timeInput({ value: instant ? timeOfDay(instant, zone) : "" });
  const date = input({ type: "date", value: draft ? studyDay(draft.started_at, clock) : today() });
  const day = field("day", words.log.day, date, dawn > "00:00" && words.log.dayHint(dawn));
  const start = field("started_at", words.log.start, time(draft?.started_at));
  const end = field("ended_at", words.log.end, time(draft?.ended_at), words.log.endHint);
  const whole = { type: "number", inputmode: "numeric", min: 1, max: numbers.longest_interval_minutes, step: 1, disabled: true };
  const minutes = field("minutes", words.log.minutes, input(whole), words.log.minutesHint);
  const note = noteField(draft?.note ?? "");
  const picker = subjectPicker(draft);
  if (!draft) {
    offerLatest(picker, today()).catch((problem) => {
      if (!("status" in problem)) throw problem;
    });
  }
  // Subjects are made in another tab: what is typed here stays.
  const again = () => addEventListener("focus", () => picker.offer().then(offerMaking), { once: true });
  const link = h("a", { href: "/tasks", target: "_blank", onclick: again }, words.log.makeSubject);
  const make = h("p", { class: "small", hidden: true }, link);
  const offerMaking = () => {
    make.hidden = !picker.lacksSubjects();
  };
  picker.ready.then(offerMaking);
  minutes.root.hidden = true;

  // A time before the start of the study day belongs to the next date, unless that date has not come yet.
  const startDate = () => {
    const next = addDays(day.input.value, 1);
    return start.input.value < dawn && next <= todayIn(zone) ? next : day.input.value;
  };
  const lasts = () => !minutes.root.hidden;
  const length = () => Number(minutes.input.value) * 60_000;
  // Without a start it has just ended.
  const began = () =>
    start.input.value
      ? instantAt(startDate(), start.input.value, zone)
      : new Date(Math.floor(serverNow() / 60_000) * 60_000 - length());
  const ended = () => {
    if (lasts()) return new Date(began().getTime() + length());
    const last = end.input.value <= start.input.value ? addDays(startDate(), 1) : startDate();
    return instantAt(last, end.input.value, zone);
  };

  const use = (isLength) => {
    for (const [each, shown] of [
      [end, !isLength],
      [minutes, isLength],
    ]) {
      each.root.hidden = !shown;
      each.input.disabled = !shown;
      each.complain("");
    }
    tell();
  };
  const hint = minutes.root.querySelector(".hint");
  const tell = () => {
    start.input.required = !lasts() || day.input.value !== today();
    const isKnown = start.input.validity.valid && day.input.value && minutes.input.validity.valid && minutes.input.value;
    hint.textContent = isKnown ? words.log.until(timeOfDay(ended(), zone)) : words.log.minutesHint;
  };
  for (const each of [day, start, minutes]) each.input.addEventListener("input", tell);

  const id = draft?.id ?? uuid();
  const record = async () => {
    const interval = { started_at: rfc3339(began()), ended_at: rfc3339(ended()) };
    const body = { id, ...interval, ...picker.value(), note: note.input.value.trim() || null, source: "manual" };
    let said = words.offline.logged;
    try {
      let session = await post("/me/sessions", body, uuid(), 8000);
      // The first version may have arrived after all.
      if (draft) session = await amend(body);
      said = words.log.done(words.duration(session.seconds));
      if (draft) dropAct(draft);
    } catch (problem) {
      if (problem.field === "ended_at" && lasts()) problem.field = "minutes";
      if (!problem.unreached) throw problem;
      problem.detail = words.offline.full;
      if (!keepAct(sessionAct(body, { edited: Boolean(draft) }))) throw problem;
    }
    close();
    announce(said);
    done();
  };

  const all = form([day, start, end, minutes, ...picker.fields, note], words.log.submit, record);
  day.root.append(days(day.input, today, tell));
  note.root.before(make);
  day.root.after(choice(use), h("div", { class: "pair" }, start.root, end.root, minutes.root));
  const close = sheet(
    words.log.title,
    h("p", { class: "muted" }, words.log.lead),
    all,
    h("p", { class: "xs muted" }, words.log.zone(zone, dawn)),
  );
}

/** The field for a note. */
export const noteField = (text) => {
  const area = h("textarea", { class: "in", rows: 2, maxlength: 2000 });
  area.value = text;
  return field("note", words.log.note, area);
};

/** The subject of the latest session, for a device that remembers no choice. */
async function offerLatest({ ready, fields }, day) {
  if (recall("subject") || recall("task")) return;
  const [{ items }] = await Promise.all([get(`/me/sessions?from=${addDays(day, -7)}&to=${day}&limit=1`), ready]);
  for (const { input } of fields) {
    const id = items[0]?.[input.name];
    const isOffered = [...input.options].some(({ value }) => value === id);
    if (isOffered && !input.value) input.value = id;
  }
}

/** Buttons for today and yesterday; other days are chosen in the field. */
function days(input, today, changed) {
  const buttons = [words.log.today, words.log.yesterday].map((label, ago) => {
    const choose = () => {
      input.value = addDays(today(), -ago);
      mark();
      changed();
    };
    return button(label, choose, "btn quiet small");
  });
  const mark = () => {
    for (const [ago, each] of buttons.entries()) {
      const isChosen = input.value === addDays(today(), -ago);
      each.setAttribute("aria-pressed", String(isChosen));
    }
  };
  input.addEventListener("input", mark);
  mark();
  return h("div", { class: "quick", role: "group", "aria-label": words.log.quick }, buttons);
}

/** The choice between end time and length. */
function choice(use) {
  const radio = (label, isLength) => {
    const input = h("input", {
      type: "radio",
      name: "how",
      checked: !isLength,
      onchange: () => use(isLength),
    });
    return h("label", {}, input, label);
  };
  const options = [radio(words.log.byEnd, false), radio(words.log.byLength, true)];
  return h("div", { class: "seg", role: "radiogroup", "aria-label": words.log.how }, options);
}
