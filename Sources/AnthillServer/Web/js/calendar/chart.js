import { h, svg } from "../parts/dom.js";
import { words } from "../words/i18n.js";
import { hm } from "../words/time.js";

const tall = 112;

/**
 * A bar for each `{label, seconds, shown}`, with `text` as the description. With `figures`, each bar has its number on
 * top.
 */
export function bars(items, text, figures) {
  const most = Math.max(1, ...items.map(({ seconds }) => seconds));
  const step = 100 / items.length;
  const top = figures ? 20 : 4;
  const column = ({ label, seconds, shown = label }, index) => {
    const height = seconds > 0 ? Math.max(2, Math.round((seconds / most) * (tall - top))) : 0;
    const middle = `${(step * (index + 0.5)).toFixed(2)}%`;
    return [
      svg(
        "rect",
        { x: `${(step * (index + 0.14)).toFixed(2)}%`, y: tall - height, width: `${(step * 0.72).toFixed(2)}%`, height, rx: 3 },
        svg("title", {}, `${label} ${hm(seconds)}`),
      ),
      figures &&
        seconds > 0 &&
        svg("text", { class: "b", x: middle, y: tall - height - 5, "text-anchor": "middle" }, short(seconds)),
      shown && svg("text", { x: middle, y: tall + 18, "text-anchor": "middle" }, shown),
    ];
  };
  return svg(
    "svg",
    { class: "bars", width: "100%", height: tall + 24, role: "img", "aria-label": text },
    svg("line", { x1: 0, x2: "100%", y1: tall + 0.5, y2: tall + 0.5 }),
    items.map(column),
  );
}

/** From 100 hours there is only room for the hours. */
const short = (seconds) => (seconds < 360_000 ? hm(seconds) : hm(seconds).split(":")[0]);

/** The same figures as a table, folded away. */
export const folded = (table) =>
  h(
    "details",
    { class: "folded" },
    h("summary", {}, words.calendar.asTable),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": table.caption.textContent }, table),
  );
