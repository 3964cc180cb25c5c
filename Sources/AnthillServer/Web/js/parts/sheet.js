import { announce, voice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { art, h } from "./dom.js";

let opened = 0;

/**
 * A sheet over the page, from below on phones, from the right on wide screens. Answers how to close it. With something typed
 * in a form that was not sent, or a secret that was not copied, it does not close by a tap beside it, and otherwise only at
 * the second press. The answer's `leave()` closes it as such a press does; it is false while the sheet stays.
 */
export function sheet(title, ...children) {
  opened += 1;
  const id = `sheet-${opened}`;
  const opener = document.activeElement;
  const close = () => dialog.close();
  const unsafe = () => dialog.querySelector("form.typed, .uncopied");
  let asked = false;
  const asks = () => {
    const lost = unsafe();
    if (asked || !lost) return false;
    asked = true;
    announce(lost.matches("form") ? words.unsent : words.once.uncopied);
    return true;
  };
  close.leave = () => {
    if (asks()) return false;
    close();
    return true;
  };
  const shut = h(
    "button",
    { type: "button", class: "btn text icon end", "aria-label": words.close, onclick: close.leave },
    art("i-close", "i"),
  );
  const dialog = h(
    "dialog",
    {
      class: "sheet",
      "aria-labelledby": id,
      onclose: () => {
        dialog.remove();
        // What opened it was drawn again meanwhile.
        if (!opener.isConnected) document.querySelector(`[data-key="${opener.dataset.key}"]`)?.focus();
      },
      onclick: ({ target }) => target === dialog && !unsafe() && close(),
      oncancel: (event) => event.target === dialog && asks() && event.preventDefault(),
      oninput: () => {
        asked = false;
      },
    },
    h("div", { class: "grab", "aria-hidden": "true" }),
    h("div", { class: "head" }, h("h2", { id, class: "big", tabindex: "-1", autofocus: true }, title), shut),
    children,
    voice(),
  );
  document.body.append(dialog);
  dialog.showModal();
  return close;
}
