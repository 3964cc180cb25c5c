import { art, button, h, icon } from "../parts/dom.js";
import { get } from "../server/api.js";
import { serverNow } from "../server/clock.js";
import { study } from "../timer/study.js";
import { words } from "../words/i18n.js";
import { addDays, dayIn, dayTitle, hm, instantAt, timeOfDay } from "../words/time.js";
import { editSession } from "./session-sheet.js";

export { logSession } from "./log-sheet.js";

/**
 * The rows of a day's sessions, newest first, in the zone of the user's clock: when, what, how long, and buttons to study the
 * same again and to edit. Calls `changed()` after one was changed or deleted.
 */
export function sessionRows(sessions, day, user, changed) {
  const clock = user.study_clock;
  const zone = clock.time_zone;
  const dawn = instantAt(day, clock.day_starts_at, zone);
  return sessions.map((session) => {
    const { started_at: start, ended_at: end, source, state } = session;
    const nextDawn = instantAt(addDays(day, 1), clock.day_starts_at, zone);
    const [early, late] = [secondsWithin(session, 0, dawn), secondsWithin(session, nextDawn, Infinity)];
    const isNight = !late && dayIn(end ?? start, zone) > day;
    const when = `${timeOfDay(start, zone)} – ${end ? timeOfDay(end, zone) : words.sessions.now}`;
    const change = button(art("i-pencil", "i-s"), () => editSession(session, clock, changed), "btn text icon change", {
      "aria-label": words.sessions.changeLabel(when),
      "data-key": `change-${session.id}`,
    });
    const again = button(icon("play"), () => study(purposeOf(session), user), "btn text icon change", {
      "aria-label": words.sessions.againLabel(when),
      "data-key": `again-${session.id}`,
    });
    return h(
      "tr",
      {},
      h(
        "td",
        {},
        when,
        source === "manual" && h("span", { class: "chip honey" }, words.sessions.byHand),
        source === "timer" && isPartlyByHand(session) && h("span", { class: "chip honey" }, words.sessions.partlyByHand),
        source === "import" && h("span", { class: "chip" }, words.sessions.imported),
        state === "running" && h("span", { class: "chip leaf" }, words.board.studying),
        state === "paused" && h("span", { class: "chip" }, words.sessions.paused),
        state === "unconfirmed" && h("span", { class: "chip honey" }, words.sessions.unconfirmed),
        about(session),
        early > 0 && h("span", { class: "note" }, words.sessions.early(clock.day_starts_at, words.duration(early))),
        late > 0 && h("span", { class: "note" }, words.sessions.late(clock.day_starts_at, words.duration(late))),
        isNight && h("span", { class: "note" }, words.sessions.night(dayTitle(day))),
      ),
      h("td", { "data-seconds": session.seconds }, hm(session.seconds), end && state !== "paused" && again, change),
    );
  });
}

/** What a session was for. */
const purposeOf = ({ subject_id = null, task_id = null, note = null }) => ({ subject_id, task_id, note });

/** A session's subject and task by name, once loaded, and its note. */
function about({ subject_id: subject, task_id: task, note }) {
  if (!subject && !task && !note) return null;
  const line = h("span", { class: "note about" });
  const show = (...parts) => {
    line.textContent = parts.filter(Boolean).join(" · ");
  };
  show(note);
  const names = [subject && named("subjects", subject), task && named("tasks", task)];
  Promise.all(names).then(([first, second]) => show(first, second, note));
  return line;
}

const known = new Map();

/** The name of a subject or task; empty if it cannot be loaded. */
function named(kind, id) {
  const path = `/me/${kind}/${id}`;
  if (!known.has(path)) {
    const name = get(path).then(({ name, title }) => name ?? title);
    known.set(path, name);
    name.catch(() => known.delete(path));
  }
  return known.get(path).catch(() => "");
}

/** Whether part of a timed session was added by hand. */
const isPartlyByHand = ({ intervals }) => intervals.some(({ source }) => source === "manual");

/** How many seconds of a session lie between two instants. */
const secondsWithin = ({ intervals }, first, last) =>
  intervals.reduce((sum, { started_at: start, ended_at: end }) => {
    const [from, to] = [Math.max(Date.parse(start), first), Math.min(end ? Date.parse(end) : serverNow(), last)];
    return sum + Math.max(0, Math.round((to - from) / 1000));
  }, 0);
