import { button, h } from "../parts/dom.js";
import { field, form, input } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { patch } from "../server/api.js";
import { words } from "../words/i18n.js";
import { numbers } from "../words/numbers.js";

const usual = [10, 15, 25, 30, 45, 50, 60, 90, 120, 180];

/** The sheet to choose the length of a countdown, once or as the default; calls `chosen(seconds)`. */
export function chooseLength(user, seconds, chosen) {
  const take = (length) => {
    close();
    chosen(length);
  };
  const picks = usual.map((minutes) =>
    button(words.duration(minutes * 60), () => take(minutes * 60), "btn quiet small", {
      "aria-pressed": String(minutes * 60 === seconds),
    }),
  );
  const minutes = field(
    "minutes",
    words.timer.length.minutes,
    input({
      type: "number",
      inputmode: "numeric",
      min: numbers.shortest_length / 60,
      max: 1440,
      step: 1,
      value: Math.round(seconds / 60),
    }),
    words.timer.length.hint,
  );
  const always = h("input", { type: "checkbox", class: "sw", role: "switch" });
  const submit = async ({ minutes: typed }) => {
    const length = Number(typed) * 60;
    if (always.checked) Object.assign(user, await patch("/me", { default_timer_seconds: length }));
    take(length);
  };
  const keep = h("label", { class: "keep" }, h("span", {}, words.timer.length.always), always);
  const close = sheet(
    words.timer.length.title,
    h("div", { class: "lengths" }, picks),
    form([minutes], words.timer.length.submit, submit, { extra: keep }),
  );
}
