import { art, h, svg } from "./dom.js";
import { words } from "./i18n.js";
import { clock, hm } from "./time.js";

const circle = (className, attributes) =>
  svg("circle", { class: className, cx: 120, cy: 120, r: 102, fill: "none", "stroke-width": 12, ...attributes });

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** The ring of the timer: the ant walks ahead of the arc. `show(watch, today)` draws what is now. */
export function ring() {
  const arc = circle(
    "arc",
    { "stroke-linecap": "round", pathLength: 100, "stroke-dasharray": "0 100", transform: "rotate(-90 120 120)" },
  );
  const walker = svg("g", { class: "walker" }, svg("use", { href: "/art/sprite.svg#ant", width: 48, height: 48 }));
  const picture = svg(
    "svg",
    { viewBox: "0 0 240 240", "aria-hidden": "true" },
    svg("circle", { class: "room", cx: 120, cy: 120, r: 116 }),
    circle("track"),
    arc,
    walker,
  );
  const above = h("span", { class: "muted" });
  const figure = h("span", { class: "clock num" });
  const below = h("span", { class: "muted" });
  const reading = h("div", { class: "in", role: "timer" }, above, figure, below);

  function show(watch, goal) {
    const shown = watch.state === "idle" ? { seconds: 0, remaining: goal } : watch;
    const aim = watch.state === "idle" ? goal : watch.goal;
    const done = aim ? Math.min(1, shown.seconds / aim) : (shown.seconds % 3600) / 3600;
    const past = aim !== null && shown.remaining <= 0;
    arc.setAttribute("class", watch.state === "paused" ? "arc held" : "arc");
    arc.setAttribute("stroke-dasharray", `${(done * 100).toFixed(2)} 100`);
    arc.setAttribute("visibility", shown.seconds === 0 ? "hidden" : "visible");
    if (!calm.matches || shown.seconds % 60 === 0 || !walker.hasAttribute("transform")) {
      walker.setAttribute(
        "transform",
        `rotate(${(done * 360 + 7).toFixed(1)} 120 120) translate(120 12) translate(-22 -37.5) scale(.9)`,
      );
    }
    above.textContent = words.timer.above(watch.state, past);
    figure.textContent = past ? `+${clock(-shown.remaining)}` : clock(shown.seconds);
    figure.classList.toggle("long", figure.textContent.length > 7);
    if (watch.state === "idle") below.textContent = goal ? words.timer.goal(hm(goal)) : words.timer.noGoal;
    else if (past) below.textContent = words.timer.altogether(hm(shown.seconds));
    else below.textContent = aim ? words.timer.left(hm(aim), clock(shown.remaining)) : words.timer.noGoal;
    below.classList.toggle("long", below.textContent.length > 14);
    const label = words.timer.label(watch.state, Math.floor(shown.seconds / 60) * 60, aim, past);
    if (reading.getAttribute("aria-label") !== label) reading.setAttribute("aria-label", label);
  }

  return { root: h("div", { class: "ring" }, picture, reading), show };
}

/** The day's plant; nothing is planted before the first second. */
export const plant = (growth, className) => art(growth, className, words.growth[growth]);
