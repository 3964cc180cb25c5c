import { recall, remember } from "../device/memory.js";
import { b, button, h } from "../parts/dom.js";
import { line } from "../parts/line.js";
import { sheet } from "../parts/sheet.js";
import { words } from "../words/i18n.js";

// What each key does on this page, by the key; a space is the space bar.
const acts = new Map();
// The pages of the navigation, each as its key and its name.
let pages = [];

/** Lets a single key do something on this page. `act` answers false where it does nothing now. */
export const shortcut = (key, act) => acts.set(key, act);

/**
 * Keyboard shortcuts: digits for the links of the navigation, "?" for the list of all, and what the page adds. They do nothing
 * while somebody types or a sheet is open, and none is in the way of those who turn them off (WCAG 2.1.4).
 */
export function shortcuts(links) {
  pages = links.map((link, index) => [String(index + 1), link.textContent]);
  links.forEach((link, index) => shortcut(String(index + 1), () => link.click()));
  shortcut("?", shortcutsSheet);
  addEventListener("keydown", (event) => {
    const { target } = event;
    if (recall("shortcuts") === "off" || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input, select, textarea") || document.querySelector("dialog[open]")) return;
    const key = keyOf(event);
    if (key === " " && target.closest("a, button, summary, [role]")) return;
    if (acts.has(key) && acts.get(key)() !== false) event.preventDefault();
  });
}

/** The key's Latin letter, also where it writes another one, as on a Korean keyboard. */
const keyOf = ({ key, code }) => (/^[ -~]$/.test(key) ? key : code.replace(/^Key/, "")).toLowerCase();

/** The sheet with all shortcuts, each to press as well, and the switch that turns them off on this device. */
export function shortcutsSheet() {
  const text = words.shortcuts;
  const onHome = [
    ["s", words.timer.start],
    [" ", text.pause],
    ["f", words.timer.stop],
    ["l", words.log.title],
  ];
  const row = ([key, name]) => {
    const cap = h("kbd", {}, key === " " ? text.space : key.toUpperCase());
    const act = () => {
      close();
      acts.get(key)();
    };
    return h("li", {}, acts.has(key) ? button([cap, name], act, "btn text small") : h("span", {}, cap, name));
  };
  const onchange = ({ target }) => remember("shortcuts", target.checked ? null : "off");
  const box = {
    type: "checkbox",
    class: "sw",
    role: "switch",
    id: "shortcuts",
    checked: recall("shortcuts") !== "off",
    onchange,
  };
  const close = sheet(
    text.title,
    h("h3", {}, text.onHome),
    h("ul", { class: "shortcuts" }, onHome.map(row)),
    h("h3", {}, text.everywhere),
    h("ul", { class: "shortcuts" }, [...pages, ["?", text.all]].map(row)),
    h("ul", { class: "set" }, line(h("label", { for: "shortcuts" }, b(text.on)), text.onHint, h("input", box), false)),
  );
}
