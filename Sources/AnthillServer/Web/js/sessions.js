import { get, post } from "./api.js";
import { h } from "./dom.js";
import { field, form, input } from "./form.js";
import { words } from "./i18n.js";
import { announce } from "./notices.js";
import { sheet } from "./sheet.js";
import { addDays, dayIn, hm, instantAt, rfc3339, studyDay, timeOfDay } from "./time.js";

/** The rows of a day's sessions, newest first, in the study clock's zone. */
export function sessionRows(sessions, day, clock) {
  const zone = clock.time_zone;
  const dawn = instantAt(day, clock.day_starts_at, zone);
  return sessions.map((session) => {
    const { started_at: start, ended_at: end, source, state } = session;
    const early = secondsBefore(session, dawn);
    return h(
      "tr",
      {},
      h(
        "td",
        {},
        `${timeOfDay(start, zone)} – ${end ? timeOfDay(end, zone) : words.sessions.now}`,
        source === "manual" && h("span", { class: "chip honey" }, words.sessions.byHand),
        state === "running" && h("span", { class: "chip leaf" }, words.board.studying),
        state === "paused" && h("span", { class: "chip" }, words.sessions.paused),
        state === "unconfirmed" && h("span", { class: "chip honey" }, words.sessions.unconfirmed),
        early > 0 && h("span", { class: "note" }, words.sessions.early(clock.day_starts_at, words.duration(early))),
      ),
      h("td", { "data-seconds": session.seconds }, hm(session.seconds)),
    );
  });
}

const secondsBefore = ({ intervals }, dawn) =>
  intervals.reduce((sum, { started_at: start, ended_at: end }) => {
    const until = Math.min(end ? Date.parse(end) : Date.now(), dawn.getTime());
    return sum + Math.max(0, Math.round((until - Date.parse(start)) / 1000));
  }, 0);

const faultyField = {
  overlapping_interval: "started_at",
  too_old: "started_at",
  month_closed: "started_at",
  in_the_future: "ended_at",
  too_long: "ended_at",
  empty_interval: "ended_at",
};

/** The sheet in which an earlier session is written down; `done(session)` once it is recorded. */
export function logSession(clock, done) {
  const zone = clock.time_zone;
  const day = field("day", words.log.day, input({ type: "date", value: dayIn(new Date(), zone) }));
  const start = field("started_at", words.log.start, input({ type: "time" }));
  const end = field("ended_at", words.log.end, input({ type: "time" }), words.log.endHint);

  const interval = () => {
    const [from, to] = [start.input.value, end.input.value];
    const last = to <= from ? addDays(day.input.value, 1) : day.input.value;
    return { started_at: rfc3339(instantAt(day.input.value, from, zone)), ended_at: rfc3339(instantAt(last, to, zone)) };
  };

  const record = async () => {
    const wanted = interval();
    try {
      const session = await post("/me/sessions", { ...wanted, source: "manual" });
      close();
      announce(words.log.done(words.duration(session.seconds)));
      done(session);
    } catch (problem) {
      if (problem.code === "overlapping_interval") problem.detail = (await overlap(wanted, clock)) ?? problem.detail;
      throw problem;
    }
  };

  const explain = (problem) => ({ field: problem.field ?? faultyField[problem.code] });
  const all = form([day, start, end], words.log.submit, record, { explain });
  day.root.after(h("div", { class: "pair" }, start.root, end.root));
  const close = sheet(
    words.log.title,
    h("p", { class: "muted" }, words.log.lead),
    all,
    h("p", { class: "xs muted" }, words.log.zone(zone, clock.day_starts_at)),
  );
}

/** Which of my sessions lies where the wanted one should go, in words. */
async function overlap({ started_at: from, ended_at: to }, clock) {
  const days = `from=${addDays(studyDay(from, clock), -1)}&to=${addDays(studyDay(to, clock), 1)}`;
  const { items } = await get(`/me/sessions?${days}`).catch(() => ({ items: [] }));
  const taken = items.flatMap(({ intervals }) => intervals).find((each) => each.started_at < to && (!each.ended_at || each.ended_at > from));
  if (!taken) return null;
  const start = timeOfDay(taken.started_at, clock.time_zone);
  return taken.ended_at ? words.log.overlaps(start, timeOfDay(taken.ended_at, clock.time_zone)) : words.log.overlapsRunning(start);
}
