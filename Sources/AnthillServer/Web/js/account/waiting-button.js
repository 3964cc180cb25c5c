import { h } from "../parts/dom.js";
import { said } from "../parts/form.js";
import { announce } from "../shell/notices.js";
import { entranceWords } from "../words/entrance/i18n.js";

const wait = 60;

/** A button that may be pressed once a minute and shows the time left. */
export function waitingButton(label, labelIn, act) {
  const root = h("button", { type: "button", class: "btn quiet wide", onclick: press });

  function count(until) {
    const left = Math.ceil((until - performance.now()) / 1000);
    root.textContent = left > 0 ? labelIn(left) : label;
    if (left > 0) root.setAttribute("aria-disabled", "true");
    else root.removeAttribute("aria-disabled");
    if (left > 0) setTimeout(() => count(until), 1000);
  }

  async function press() {
    if (root.getAttribute("aria-disabled") === "true") return;
    count(performance.now() + wait * 1000);
    try {
      await act();
      announce(entranceWords.register.sentTitle);
    } catch (problem) {
      announce(said(problem));
    }
  }

  count(performance.now() + wait * 1000);
  return root;
}
