import { art, h, icon, spoken } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { dayName, hm } from "../words/time.js";
import { stampOf } from "./day-look.js";

/**
 * Today, above the ground: time and goal, stamp, streak, yesterday, and what has grown. `show(today, live)` takes the day
 * from the server and its seconds by now.
 */
export function sky() {
  const root = h("div", { class: "sky" });
  let shown = null;
  function show(today, live, idle) {
    const key = JSON.stringify([Math.floor(live / 60), today, idle]);
    if (shown === key) return;
    shown = key;
    const growth = live === 0 && idle ? "rest" : today.growth;
    const stamp = stampOf(today.ants);
    const goal = spoken(`/ ${hm(today.goal_seconds)}`, words.calendar.goal(words.duration(today.goal_seconds)));
    const { current } = today.streaks;
    root.replaceChildren(
      h(
        "dl",
        {},
        h("dt", {}, words.home.today(dayName(today.day))),
        h(
          "dd",
          { class: "line1" },
          h("span", { class: "big", id: "today", "data-seconds": live }, spoken(hm(live), words.duration(live))),
          live < today.goal_seconds && h("span", { class: "small muted" }, goal),
          stamp && art(`stamp-${stamp}-s`, "a-24 st", words.ants[stamp]),
          current > 0 && h("span", { class: "chip apple" }, icon("flame"), words.today.streak(current)),
        ),
        live + today.yesterday_seconds > 0 &&
          h("dd", { class: "small muted" }, words.home.compared(live - today.yesterday_seconds)),
      ),
      art(growth, "plant", words.growth[growth]),
    );
  }
  return { root, show };
}
