import { art, button, h, keepingFocus } from "../parts/dom.js";
import { post } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { words } from "../words/i18n.js";

let told = null;

/**
 * Announces the day's perfect ant once, on whichever device is first: `today` is what `GET /me/today` returned, and the
 * server remembers that it was shown.
 */
export async function perfectAnt(today) {
  const { day, ants, perfect_announced: announced } = today;
  if (!ants.perfect || announced || told === day || document.hidden) return;
  told = day;
  try {
    await post("/me/today/perfect-announcement", { day });
  } catch (problem) {
    if (!("status" in problem)) throw problem;
    // Another device was first, or this one will try again.
    if (problem.code !== "already_announced") told = null;
    return;
  }
  show(today);
}

function show({ goal_seconds: goal, month }) {
  const text = words.perfect.text(words.duration(goal), month.perfect);
  const close = () => {
    removeEventListener("keydown", onEscape);
    return keepingFocus(() => card.remove());
  };
  const onEscape = ({ key }) => key === "Escape" && close();
  const card = h(
    "aside",
    { class: "card empty won perfect", "aria-labelledby": "perfect" },
    art("stamp-perfect", "st"),
    h("h2", { id: "perfect" }, words.perfect.title),
    h("p", { class: "muted" }, text),
    h(
      "div",
      { class: "btns" },
      h("a", { class: "btn quiet", href: "/calendar" }, words.perfect.calendar),
      button(words.close, close, "btn text"),
    ),
  );
  document.querySelector("main").after(card);
  addEventListener("keydown", onEscape);
  announce(`${words.perfect.title}. ${text}`, { seen: true });
}
