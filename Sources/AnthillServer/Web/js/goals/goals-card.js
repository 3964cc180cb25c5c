import { b, button, h, icon, nodes } from "../parts/dom.js";
import { bar } from "../parts/hues.js";
import { words } from "../words/i18n.js";
import { countdown, openGoals } from "./goals-sheet.js";

/** The card with the goals of this week and month, and the days left until dates. `changed()` asks for today anew. */
export function goalsCard(changed) {
  const list = h("div", { class: "goals" });
  let today = null;
  const edit = () => openGoals(today, changed);
  const root = h(
    "section",
    { class: "card o4", "aria-labelledby": "goals" },
    h(
      "header",
      {},
      h("h2", { id: "goals" }, words.goals.title),
      button([icon("pencil"), words.goals.edit], edit, "btn quiet small"),
    ),
    list,
  );
  return {
    root,
    /** Shows what `GET /me/today` returned. */
    show(next) {
      today = next;
      const { goals, dates } = today;
      const coming = dates.filter(({ days_left: left }) => left >= 0);
      list.replaceChildren(
        ...nodes([
          coming.length > 0 && h("ul", { class: "dates" }, coming.map(countdown)),
          goals.map(progress),
          coming.length + goals.length === 0 && h("p", { class: "muted small" }, words.goals.none),
        ]),
      );
    },
  };
}

function progress({ period, goal_seconds: goal, study_seconds: study }) {
  const { duration, goals: text } = words;
  return h(
    "div",
    { class: "goal" },
    h(
      "p",
      {},
      b(text.of[period]),
      h("span", {}, text.progress(duration(study), duration(goal), Math.floor((study / goal) * 100))),
    ),
    bar(study / goal),
    h("p", { class: "small muted" }, study >= goal ? text.reached : text.left(duration(goal - study))),
  );
}
