import { notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { button, h, keepingFocus } from "./dom.js";
import { said } from "./form.js";

/** A button that asks for confirmation in its own place before it acts, and shows errors there. */
export function asking(label, question, act, { className = "btn text small", attributes = {} } = {}) {
  const first = button(label, () => turn(), className, attributes);
  const turn = () => {
    const place = h("div", { role: "alert" });
    const go = async () => {
      try {
        await keepingFocus(act);
        sure.disabled = true;
      } catch (problem) {
        if (!("status" in problem)) throw problem;
        place.replaceChildren(notice("apple", "info", null, said(problem)));
      }
    };
    const sure = button(label, go, "btn danger small");
    const back = () => {
      asked.replaceWith(first);
      first.focus();
    };
    const asked = h(
      "div",
      { class: "ask" },
      h("p", {}, question),
      h("div", { class: "btns" }, sure, button(words.back, back, "btn text small")),
      place,
    );
    first.replaceWith(asked);
    sure.focus();
  };
  return first;
}
