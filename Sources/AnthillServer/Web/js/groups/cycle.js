import { button, h, icon } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { serverNow } from "../server/clock.js";
import { notice } from "../shell/notices.js";
import { begin, lastChosen } from "../timer/pressing.js";
import { words } from "../words/i18n.js";
import { ownZone, timeOfDay } from "../words/time.js";

/** The group's cycle: study or rest, until when, and a button to start one's own timer in step. */
export function cycleLine({ cycle, members }, user, trouble) {
  const { study_minutes: study, rest_minutes: rest, resting, ends_at: end } = cycle;
  const isStudying = members.some(({ uid, sitting }) => uid === user.uid && sitting);
  const time = timeOfDay(end, ownZone());
  return h(
    "div",
    { class: "cycle" },
    icon("clock"),
    h("span", {}, h("b", {}, `${study}/${rest}`), " · ", resting ? words.room.resting(time) : words.room.nextRest(time)),
    !resting &&
      !isStudying &&
      button([icon("play"), words.room.inStep], () => start(cycle, trouble), "btn quiet small", { "data-key": "room-step" }),
  );
}

/** Starts a countdown to the group's next rest. */
async function start({ ends_at: end }, trouble) {
  const left = Math.round((Date.parse(end) - serverNow()) / 1000);
  if (left <= 0) return trouble.replaceChildren(notice("honey", "clock", null, words.room.tooLate));
  try {
    await begin({ goal_seconds: left, ...lastChosen() });
  } catch (problem) {
    if (!("status" in problem)) throw problem;
    trouble.replaceChildren(notice("apple", "info", null, said(problem)));
  }
}
