import { asking } from "../parts/asking.js";
import { h } from "../parts/dom.js";
import { field, form, timeInput } from "../parts/form.js";
import { get, put, remove } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { addDays, dayAndTime, dayIn, instantAt, rfc3339, timeOfDay } from "../words/time.js";

/** Cards for timers that stopped at the longest interval; they count once the user says when they really ended. */
export function unconfirmedCards({ time_zone: zone }, changed) {
  const root = h("div", { class: "o1 stackup" });
  let shown = "";
  return {
    root,
    async refresh() {
      const { items } = await get("/me/sessions/unconfirmed");
      // What somebody is typing stays.
      const latest = JSON.stringify(items);
      if (latest === shown) return;
      shown = latest;
      root.replaceChildren(...items.map((session) => card(session, zone, changed)));
    },
  };
}

function card({ id, intervals }, zone, changed) {
  const { started_at: start, ended_at: latest } = intervals.find(({ unconfirmed }) => unconfirmed);
  const end = field(
    "ended_at",
    words.unconfirmed.end,
    timeInput({ value: timeOfDay(latest, zone) }),
    words.unconfirmed.hint(dayAndTime(latest, zone)),
  );
  const confirm = async ({ ended_at: time }) => {
    const day = dayIn(start, zone);
    const same = instantAt(day, time, zone);
    const ended = same > new Date(start) ? same : instantAt(addDays(day, 1), time, zone);
    await put(`/me/sessions/${id}/end`, { ended_at: rfc3339(ended) });
    announce(words.unconfirmed.done);
    await changed();
  };
  const answer = form([end], words.unconfirmed.submit(end.input.value), confirm);
  const tell = () => {
    answer.querySelector("button").textContent = words.unconfirmed.submit(end.input.value);
  };
  // Left, the field writes 0530 as 05:30.
  for (const typing of ["input", "change"]) end.input.addEventListener(typing, tell);
  const question = words.sessions.takeBackAsk(`${timeOfDay(start, zone)} – ${timeOfDay(latest, zone)}`);
  const drop = async () => {
    await remove(`/me/sessions/${id}`);
    announce(words.unconfirmed.dropped);
    await changed();
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": `stopped-${id}` },
    h(
      "header",
      {},
      h("h2", { id: `stopped-${id}` }, words.unconfirmed.title),
      h("span", { class: "chip honey" }, words.unconfirmed.chip),
    ),
    h("p", { class: "before-form" }, words.unconfirmed.text(dayAndTime(start, zone))),
    answer,
    h("div", { class: "btns" }, asking(words.unconfirmed.drop, question, drop)),
  );
}
