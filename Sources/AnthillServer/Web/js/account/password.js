import { h } from "../parts/dom.js";
import { field, input } from "../parts/form.js";
import { words } from "../words/i18n.js";

/** A field for a new password with a meter of its length; the server alone judges. */
export function newPassword(label) {
  const bars = [1, 2, 3, 4].map(() => h("i"));
  const meter = h("div", { class: "meter", "aria-hidden": "true" }, bars);
  const oninput = ({ target }) => {
    const length = [...target.value].length;
    const full = length === 0 ? 0 : length < 10 ? 1 : length < 14 ? 2 : length < 20 ? 3 : 4;
    bars.forEach((bar, index) => {
      bar.className = index >= full ? "" : full === 1 ? "low" : "on";
    });
  };
  const made = field(
    "password",
    label,
    input({ type: "password", autocomplete: "new-password", minlength: 10, maxlength: 128, oninput }),
    words.password.hint,
  );
  made.input.after(meter);
  return made;
}
