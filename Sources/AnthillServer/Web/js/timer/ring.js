import { addresses } from "../parts/addresses.js";
import { h, svg } from "../parts/dom.js";

const circle = (className, attributes) =>
  svg("circle", { class: className, cx: 120, cy: 120, r: 102, fill: "none", "stroke-width": 12, ...attributes });

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** The ring of the timer: the ant walks ahead of the arc. `show(face)` draws what face.js reads. */
export function ring() {
  const arc = circle("arc", {
    "stroke-linecap": "round",
    pathLength: 100,
    "stroke-dasharray": "0 100",
    transform: "rotate(-90 120 120)",
  });
  const walker = svg("g", { class: "walker" }, svg("use", { href: `${addresses["art/sprite.svg"]}#ant`, width: 48, height: 48 }));
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

  function show(face) {
    arc.setAttribute("class", face.held ? "arc held" : "arc");
    arc.setAttribute("stroke-dasharray", `${(face.part * 100).toFixed(2)} 100`);
    arc.setAttribute("visibility", face.part === 0 ? "hidden" : "visible");
    walker.setAttribute("visibility", face.resting ? "hidden" : "visible");
    if (!calm.matches || face.done % 60 === 0 || !walker.hasAttribute("transform")) {
      walker.setAttribute(
        "transform",
        `rotate(${(face.part * 360 + 7).toFixed(1)} 120 120) translate(120 12) translate(-22 -37.5) scale(.9)`,
      );
    }
    above.textContent = face.above;
    figure.textContent = face.figure;
    figure.classList.toggle("long", face.figure.length > 7);
    below.textContent = face.below;
    for (const line of [above, below]) line.classList.toggle("long", line.textContent.length > 14);
    if (reading.getAttribute("aria-label") !== face.label) reading.setAttribute("aria-label", face.label);
  }

  return { root: h("div", { class: "ring" }, picture, reading), show };
}
