import { svg } from "../parts/dom.js";

/** A digest as layers of soil: 32 bars for its 32 bytes, so that two people can compare by eye. */
export function strata(sha256) {
  const bar = (pair, index) => {
    const height = 5 + Math.round((Number.parseInt(pair, 16) / 255) * 34);
    return svg("rect", { x: (0.5 + index * 3.125).toFixed(2), width: 2.1, y: 44 - height, height, rx: 2 });
  };
  return svg(
    "svg",
    { class: "strata", viewBox: "0 0 100 44", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("g", { fill: "currentColor" }, sha256.match(/../g).map(bar)),
  );
}
