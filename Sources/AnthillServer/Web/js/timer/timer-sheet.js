import { button, h } from "../parts/dom.js";
import { field, form, timeInput } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { patch } from "../server/api.js";
import { words } from "../words/i18n.js";
import { addDays, dayIn, instantAt, rfc3339, timeOfDay } from "../words/time.js";

/** The sheet of the running timer: change its start time, or cancel it. */
export function correctTimer(watch, clock, name, { moved, cancel }) {
  const asked = h("div", { class: "ask" });
  const ask = () => {
    asked.replaceChildren(
      h("p", {}, words.timer.correct.cancelAsk(words.duration(watch.seconds))),
      h("div", { class: "btns" }, sure, button(words.timer.correct.keep, forget, "btn quiet small")),
    );
    sure.focus();
  };
  const forget = () => {
    asked.replaceChildren(first);
    first.focus();
  };
  const first = button(words.timer.correct.cancel, ask, "btn danger wide");
  const sure = button(
    words.timer.correct.sure,
    () => {
      close();
      cancel();
    },
    "btn danger small",
  );
  asked.replaceChildren(first);
  const start = watch.session.running_since
    ? startForm(watch, clock.time_zone, (timer) => {
        close();
        if (timer) moved(timer);
      })
    : h("p", { class: "muted" }, words.timer.correct.paused);
  const close = sheet(name ?? words.timer.correct.title, start, asked);
}

function startForm(watch, zone, moved) {
  const value = timeOfDay(watch.session.running_since, zone);
  const start = field("started_at", words.timer.correct.start, timeInput({ value }), words.timer.correct.hint);
  return form([start], words.timer.correct.submit, async ({ started_at: time }) => {
    // Left as it was, it keeps its seconds.
    moved(time !== value && (await patch("/me/timer", { started_at: rfc3339(latest(watch.now, time, zone)) })));
  });
}

/** The last instant, not after now, at which the zone's clocks showed that time. */
function latest(now, time, zone) {
  const today = dayIn(now, zone);
  const instant = instantAt(today, time, zone);
  return instant > now ? instantAt(addDays(today, -1), time, zone) : instant;
}
