import { button, h, icon, keepingFocus, nodes } from "../parts/dom.js";
import { field, form, input, timeInput } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, patch, remove } from "../server/api.js";
import { announce, fill, notice } from "../shell/notices.js";
import { subjectPicker } from "../tasks/subject-picker.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";
import { dayAndTime, dayIn, hm, instantAt, rfc3339, timeOfDay } from "../words/time.js";
import { noteField } from "./log-sheet.js";

/** The sheet of one session: its times, subject, note and history, and a button to delete it. */
export function editSession({ id }, clock, changed) {
  const place = h("div", { class: "form" });
  const close = sheet(words.sessions.change, place);
  const act = (label, name, onclick, kind = "text") =>
    button([icon(name), label], () => close.leave() && onclick(), `btn ${kind} small`);
  fill(place, async () => {
    const [session, { server_time: now }] = await Promise.all([get(`/me/sessions/${id}`), get("/me/today")]);
    const past = act(words.sessions.history, "clock", () => showHistory(session, clock));
    const row = (...buttons) => h("div", { class: "btns" }, past, ...buttons);
    if (!isOpen(session, now)) return [sums(session, clock), notice("", "info", null, words.sessions.tooOld), row()];
    const erase = act(words.sessions.takeBack, "close", () => takeBack(session, clock, changed), "danger");
    return nodes([
      sums(session, clock),
      fields(session, clock, (told) => {
        close();
        announce(told);
        changed();
      }),
      row(hasTimer(session) ? null : erase),
    ]);
  });
}

const hasTimer = ({ state }) => state === "running" || state === "paused";

/** Whether the session may still be changed: the server's rule, shown in advance. */
const isOpen = (session, now) =>
  !session.ended_at ||
  session.source === "import" ||
  session.state === "unconfirmed" ||
  Date.parse(now) - Date.parse(session.ended_at) <= numbers.logging_window_hours * 3_600_000;

/** When it was and how long. */
function sums({ started_at: start, ended_at: end, seconds, intervals }, { time_zone: zone }) {
  const until = end ? (dayIn(start, zone) === dayIn(end, zone) ? timeOfDay(end, zone) : dayAndTime(end, zone)) : "";
  const breaks = intervals.length > 1 ? ` · ${words.sessions.stretches(intervals.length)}` : "";
  return h("p", { class: "muted" }, `${dayAndTime(start, zone)} – ${until || words.sessions.now} · ${hm(seconds)}${breaks}`);
}

function fields(session, { time_zone: zone, day_starts_at: dawn }, done) {
  const isTimed = !hasTimer(session) && session.state !== "unconfirmed";
  const at = (name, [dayLabel, label], instant, hint) => {
    const day = field(`${name}_day`, dayLabel, input({ type: "date", value: dayIn(instant, zone) }));
    const time = field(name, label, timeInput({ value: timeOfDay(instant, zone) }), hint);
    const typed = () => rfc3339(instantAt(day.input.value, time.input.value, zone));
    const before = typed();
    // Untouched times keep their seconds.
    return { day, time, value: () => (typed() === before ? undefined : typed()) };
  };
  const hint = session.intervals.length > 1 ? words.sessions.breaksStay : undefined;
  const { startDay, start, endDay, end } = words.log;
  const times = isTimed
    ? [at("started_at", [startDay, start], session.started_at), at("ended_at", [endDay, end], session.ended_at, hint)]
    : [];
  const { subject_id: subject = null, task_id: task = null } = session;
  const picker = subjectPicker({ subject_id: subject, task_id: task });
  const note = noteField(session.note ?? "");
  const save = async () => {
    const [started_at, ended_at] = times.map((each) => each.value());
    const told = { ...picker.value(), note: note.input.value.trim() || null };
    const { seconds } = await patch(`/me/sessions/${session.id}`, { started_at, ended_at, ...told });
    const names = { subject_id: words.tasks.subject, task_id: words.tasks.task, note: words.log.note };
    const others = Object.keys(names).filter((key) => told[key] !== (session[key] ?? null));
    const said = [
      (started_at || ended_at) && words.sessions.changed(words.duration(seconds)),
      others.length > 0 && words.sessions.alsoChanged(others.map((key) => names[key])),
    ];
    done(said.filter(Boolean).join(" ") || words.tasks.saved);
  };
  const zoneLine = h("p", { class: "xs muted" }, words.log.zone(zone, dawn));
  const all = [...times.flatMap(({ day, time }) => [day, time]), ...picker.fields, note];
  const root = form(all, words.sessions.save, save, { extra: isTimed ? zoneLine : [] });
  root.prepend(...times.map(({ day, time }) => h("div", { class: "pair" }, day.root, time.root)));
  return root;
}

/** Asks before deleting a session. */
function takeBack({ id, started_at: start, ended_at: end }, { time_zone: zone }, changed) {
  const when = `${timeOfDay(start, zone)} – ${timeOfDay(end, zone)}`;
  const erase = async () => {
    await remove(`/me/sessions/${id}`);
    close();
    announce(words.sessions.takenBack);
    keepingFocus(changed);
  };
  const close = sheet(
    words.sessions.takeBack,
    h("p", {}, words.sessions.takeBackAsk(when)),
    form([], words.sessions.takeBack, erase),
  );
}

/** All present and past intervals of the session: when they were added, and when they stopped counting. */
function showHistory({ id }, { time_zone: zone }) {
  const place = h("div");
  sheet(words.sessions.history, h("p", { class: "muted" }, words.sessions.historyLead), place);
  fill(place, async () => {
    const { items } = await get(`/me/sessions/${id}/history`);
    const heads = [words.sessions.when, words.board.time].map((label) => h("th", { scope: "col" }, label));
    return h(
      "table",
      { class: "parts past" },
      h("caption", { class: "vh" }, words.sessions.history),
      h("thead", { class: "vh" }, h("tr", {}, heads)),
      h(
        "tbody",
        {},
        items.map((item) => past(item, zone)),
      ),
    );
  });
}

function past(item, zone) {
  const { started_at: start, ended_at: end, recorded_at: recorded, retracted_at: retracted, source } = item;
  const when = `${dayAndTime(start, zone)} – ${end ? timeOfDay(end, zone) : words.sessions.now}`;
  const written = source === "timer" ? words.sessions.measured : words.sessions.written(dayAndTime(recorded, zone));
  const gone = retracted && words.sessions.retracted(dayAndTime(retracted, zone));
  return h(
    "tr",
    { class: retracted ? "gone" : null },
    h(
      "td",
      {},
      retracted ? h("s", {}, when) : when,
      !retracted && h("span", { class: "chip leaf" }, words.sessions.stands),
      item.unconfirmed && h("span", { class: "chip honey" }, words.sessions.unconfirmed),
      h("span", { class: "note" }, [written, gone].filter(Boolean).join(" · ")),
    ),
    h("td", {}, hm(item.seconds)),
  );
}
