import { announce, notice } from "../shell/notices.js";
import { words } from "../words/i18n.js";
import { h, icon, keepingFocus } from "./dom.js";

let made = 0;

/** A labelled control: hint and error below it, tied to it for screen readers. `control` may be any input or select. */
export function field(name, label, control, hint) {
  made += 1;
  const id = `f-${name}-${made}`;
  const input = control.matches("input, select, textarea") ? control : control.querySelector("input, select");
  input.id = id;
  input.name = name;
  const root = h("div", { class: "field" }, h("label", { for: id }, label), control);
  if (hint) root.append(h("p", { class: "hint", id: `${id}-hint` }, hint));
  const { error, complain } = complaint(input, hint && `${id}-hint`);
  root.append(error);
  return { root, input, complain };
}

/**
 * The place for what is wrong with an input, tied to it as is the hint with that id, and `complain(text)`, which says it or
 * takes it back.
 */
export function complaint(input, hint) {
  const error = h("p", { class: "err", id: `${input.id}-error`, hidden: true });
  const describe = (wrong) => {
    const ids = [wrong && error.id, hint].filter(Boolean).join(" ");
    if (ids) input.setAttribute("aria-describedby", ids);
    else input.removeAttribute("aria-describedby");
  };
  describe(false);
  const complain = (text) => {
    error.hidden = !text;
    error.replaceChildren(...(text ? [icon("info"), h("span", {}, text)] : []));
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    describe(Boolean(text));
  };
  // Editing a field clears its error.
  input.addEventListener("input", () => !error.hidden && input.checkValidity() && complain(""));
  return { error, complain };
}

export const input = (attributes) => h("input", { class: "in", required: true, ...attributes });

/** An address of email; one without a dot is refused here, with an example. */
export const emailInput = (attributes) =>
  input({ type: "email", autocomplete: "email", inputmode: "email", pattern: ".+@.+[.].+", ...attributes });

/**
 * A time of day, written 17:30 as everywhere on the pages: the browser's own control writes it as the system does, which
 * may be 05:30 PM. Digits will do: 1730, 9.
 */
export function timeInput({ onchange, ...attributes }) {
  const pattern = "([01][0-9]|2[0-3]):[0-5][0-9]";
  const time = input({ inputmode: "numeric", autocomplete: "off", size: 5, pattern, placeholder: "17:30", ...attributes });
  time.addEventListener("change", () => {
    const typed = time.value.trim().match(/^(\d{1,2}):?(\d\d)?$/);
    if (typed) time.value = `${typed[1].padStart(2, "0")}:${typed[2] ?? "00"}`;
  });
  if (onchange) time.addEventListener("change", onchange);
  return time;
}

/**
 * A form of fields for `act(values)`, with a green button unless `look` says otherwise. A Problem it throws is shown at
 * its field, or above the button. It is of the class "typed" while it has something that was not sent.
 */
export function form(fields, label, act, { extra = [], look = "" } = {}) {
  const place = h("div", { role: "alert" });
  const submit = h("button", { class: `btn ${look} wide` }, label);
  const named = Object.fromEntries(fields.map((each) => [each.input.name, each]));

  const show = (problem) => {
    if (!("status" in problem)) throw problem;
    const text = said(problem);
    const wrong = named[problem.field?.split(".").at(-1)];
    if (wrong) {
      wrong.complain(text);
      wrong.input.focus();
    } else {
      place.replaceChildren(notice("apple", "info", null, text));
    }
  };

  const onsubmit = async (event) => {
    event.preventDefault();
    if (submit.disabled) return;
    place.replaceChildren();
    for (const each of fields) each.complain("");
    const lacking = fields.filter((each) => !each.input.checkValidity());
    for (const each of lacking) each.complain(words.form.lacking(each.input));
    if (lacking.length > 0) return lacking[0].input.focus();
    submit.disabled = true;
    announce(words.form.sending, { seen: true });
    await keepingFocus(async () => {
      try {
        await act(Object.fromEntries(fields.map((each) => [each.input.name, each.input.value])));
        root.classList.remove("typed");
      } catch (problem) {
        show(problem);
      } finally {
        submit.disabled = false;
        // A button that is pressed loses the focus while it is disabled.
        if (document.activeElement === document.body) submit.focus();
      }
    });
  };
  const oninput = () => root.classList.add("typed");
  const root = h(
    "form",
    { class: "form", novalidate: true, onsubmit, oninput },
    fields.map((each) => each.root),
    extra,
    place,
    submit,
  );
  return root;
}

/** A problem in words for the user. */
export const said = ({ status, detail }) => detail || (status === 0 ? words.trouble.offline : words.trouble.fault[1]);
