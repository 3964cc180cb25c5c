import { post, remove } from "./api.js";
import { art, button, h } from "./dom.js";
import { field, form, input } from "./form.js";
import { words } from "./i18n.js";
import { announce } from "./notices.js";
import { sheet } from "./sheet.js";
import { addDays, dayIn, hm, instantAt, rfc3339, timeOfDay } from "./time.js";

/** The rows of a day's sessions, newest first, in the clock's zone; `changed()` is called when one was taken back. */
export function sessionRows(sessions, day, clock, changed) {
  const zone = clock.time_zone;
  const dawn = instantAt(day, clock.day_starts_at, zone);
  return sessions.map((session) => {
    const { started_at: start, ended_at: end, source, state } = session;
    const early = secondsBefore(session, dawn);
    const when = `${timeOfDay(start, zone)} – ${end ? timeOfDay(end, zone) : words.sessions.now}`;
    const erase = button(
      art("i-close", "i-s"),
      () => takeBack(session, when, changed),
      "btn text icon erase",
      { "aria-label": words.sessions.takeBackLabel(when) },
    );
    return h(
      "tr",
      {},
      h(
        "td",
        {},
        when,
        source === "manual" && h("span", { class: "chip honey" }, words.sessions.byHand),
        state === "running" && h("span", { class: "chip leaf" }, words.board.studying),
        state === "paused" && h("span", { class: "chip" }, words.sessions.paused),
        state === "unconfirmed" && h("span", { class: "chip honey" }, words.sessions.unconfirmed),
        early > 0 && h("span", { class: "note" }, words.sessions.early(clock.day_starts_at, words.duration(early))),
      ),
      h("td", { "data-seconds": session.seconds }, hm(session.seconds), end ? erase : null),
    );
  });
}

/** Asks before a session goes. */
function takeBack(session, when, changed) {
  const erase = async () => {
    await remove(`/me/sessions/${session.id}`);
    close();
    announce(words.sessions.takenBack);
    changed();
  };
  const close = sheet(
    words.sessions.takeBack,
    h("p", {}, words.sessions.takeBackAsk(when)),
    form([], words.sessions.takeBack, erase),
  );
}

const secondsBefore = ({ intervals }, dawn) =>
  intervals.reduce((sum, { started_at: start, ended_at: end }) => {
    const until = Math.min(end ? Date.parse(end) : Date.now(), dawn.getTime());
    return sum + Math.max(0, Math.round((until - Date.parse(start)) / 1000));
  }, 0);

/** The sheet in which an earlier session is written down; `done()` once it is recorded. */
export function logSession(clock, done) {
  const zone = clock.time_zone;
  const day = field("day", words.log.day, input({ type: "date", value: dayIn(new Date(), zone) }));
  const start = field("started_at", words.log.start, input({ type: "time" }));
  const end = field("ended_at", words.log.end, input({ type: "time" }), words.log.endHint);

  const interval = () => {
    const [from, to] = [start.input.value, end.input.value];
    const last = to <= from ? addDays(day.input.value, 1) : day.input.value;
    return {
      started_at: rfc3339(instantAt(day.input.value, from, zone)),
      ended_at: rfc3339(instantAt(last, to, zone)),
    };
  };

  const record = async () => {
    const session = await post("/me/sessions", { ...interval(), source: "manual" });
    close();
    announce(words.log.done(words.duration(session.seconds)));
    done();
  };

  const all = form([day, start, end], words.log.submit, record);
  day.root.after(h("div", { class: "pair" }, start.root, end.root));
  const close = sheet(
    words.log.title,
    h("p", { class: "muted" }, words.log.lead),
    all,
    h("p", { class: "xs muted" }, words.log.zone(zone, clock.day_starts_at)),
  );
}
