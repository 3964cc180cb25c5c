import { addresses } from "./addresses.js";

// Builds elements. Text only ever becomes text nodes, so a nickname can never be markup.

/** An HTML element; `on…` attributes are listeners, null and false ones are left out, true ones stand empty. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...nodes(children));
  return element;
}

/** Children as `append` takes them: nested lists flattened, null and false left out. */
export const nodes = (children) =>
  [children].flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/** Shows what `build()` makes in the place, if `content` changed. The focus stays on what has the same `data-key`. */
export function redraw(place, content, build) {
  const drawn = JSON.stringify(content);
  if (place.drawn === drawn) return;
  place.drawn = drawn;
  const focused = place.contains(document.activeElement) && document.activeElement.dataset.key;
  place.replaceChildren(...nodes(build()));
  if (focused) place.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
}

/**
 * Does what may remove the element with the focus. Then what `next()` answers gets it, or the heading of its sheet or section,
 * or else the page.
 */
export async function keepingFocus(act, next = () => null) {
  const from = document.activeElement;
  const place = from.closest("dialog") ?? from.closest("section");
  await act();
  for (const each of [next(), place?.querySelector("h2"), document.getElementById("main")]) {
    if (!each || document.activeElement !== document.body) continue;
    each.tabIndex = -1;
    each.focus({ preventScroll: true });
  }
}

const sprite = addresses["art/sprite.svg"];
const use = (name) => svg("use", { href: `${sprite}#${name}` });

/** A picture from the sprite: decorative, or an image with a label. */
export const art = (name, className, label) =>
  svg(
    "svg",
    label ? { class: className, role: "img", "aria-label": label } : { class: className, "aria-hidden": "true" },
    use(name),
  );

/** A small icon beside words. */
export const icon = (name) => art(`i-${name}`, "i-s");

/** One of the scenes, drawn on its own ground. */
export const scene = (name, viewBox = "0 0 240 134") =>
  svg(
    "svg",
    { class: "scene", viewBox, "aria-hidden": "true" },
    svg("use", { href: `${sprite}#scene-${name}`, width: 240, height: 140 }),
  );

export const b = (...text) => h("b", {}, ...text);
export const bdi = (text) => h("bdi", {}, text);

/** Words for screen readers only. */
export const hidden = (...text) => h("span", { class: "vh" }, ...text);

/** A figure for the eye with its words for the ear. */
export const spoken = (shown, said) => [h("span", { "aria-hidden": "true" }, shown), hidden(said)];

const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * The first letter of a name on a pebble whose colour stays the same for the same person. Their picture, if they have one,
 * lies over it as soon as it is loaded. Both only adorn the name beside them.
 */
export function face({ uid, nickname, avatar_url: picture }, className = "") {
  if (!nickname) return h("span", { class: `face nobody ${className}`, "aria-hidden": "true" });
  const [first] = letters.segment(nickname);
  const colour = (Number.parseInt(uid.slice(-6), 16) % 6) + 1;
  const loaded = ({ target }) => target.classList.add("loaded");
  const failed = ({ target }) => target.remove();
  const over = picture && h("img", { src: picture, alt: "", loading: "lazy", onload: loaded, onerror: failed });
  return h("span", { class: `face f${colour} ${className}`, "aria-hidden": "true" }, first?.segment ?? "", over);
}

/** A button that does something here. While it does, another press does nothing: it was a double click. */
export function button(label, act, className = "btn", attributes = {}) {
  let isBusy = false;
  const onclick = async (event) => {
    if (isBusy) return;
    isBusy = true;
    try {
      await act(event);
    } finally {
      isBusy = false;
    }
  };
  return h("button", { type: "button", class: className, onclick, ...attributes }, label);
}
