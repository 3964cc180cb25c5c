import { button, h } from "./dom.js";
import { words } from "./i18n.js";
import { sheet } from "./sheet.js";

/** The sheet of the timer that is on: nothing of it is recorded if one says so. */
export function correctTimer(watch, { cancel }) {
  const asked = h("div", { class: "ask" });
  const ask = () => {
    asked.replaceChildren(
      h("p", {}, words.timer.correct.cancelAsk(words.duration(watch.seconds))),
      h("div", { class: "btns" }, sure, button(words.timer.correct.keep, forget, "btn quiet small")),
    );
    sure.focus();
  };
  const forget = () => {
    asked.replaceChildren(first);
    first.focus();
  };
  const first = button(words.timer.correct.cancel, ask, "btn danger wide");
  const sure = button(
    words.timer.correct.sure,
    () => {
      close();
      cancel();
    },
    "btn danger small",
  );
  asked.replaceChildren(first);
  const close = sheet(words.timer.correct.title, asked);
}
