import { art, h, spoken } from "./dom.js";
import { words } from "./i18n.js";
import { dayName, hm } from "./time.js";

/** Today, above the ground. `show(today, live)` with the day as the server told it and its seconds by now. */
export function sky() {
  const root = h("div", { class: "sky" });
  let shown = null;
  function show(today, live, idle) {
    const key = JSON.stringify([Math.floor(live / 60), today, idle]);
    if (shown === key) return;
    shown = key;
    const growth = live === 0 && idle ? "rest" : today.growth;
    const met = live >= today.goal_seconds;
    root.replaceChildren(
      h(
        "dl",
        {},
        h("dt", {}, words.home.today(dayName(today.day))),
        h(
          "dd",
          { class: "line1" },
          h("span", { class: "big", id: "today", "data-seconds": live }, spoken(hm(live), words.duration(live))),
          h(
            "span",
            { class: met ? "chip leaf" : "chip" },
            met ? words.home.goalMet : words.home.ofGoal(hm(today.goal_seconds)),
          ),
          met && art("stamp-study-s", "a-24 st", words.landing.stampName),
        ),
        h("dd", { class: "small muted" }, words.home.compared(live - today.yesterday_seconds)),
      ),
      art(growth, "plant", words.growth[growth]),
    );
  }
  return { root, show };
}
