import { b, button, h } from "../parts/dom.js";
import { field, form, input } from "../parts/form.js";
import { line } from "../parts/line.js";
import { sheet } from "../parts/sheet.js";
import { put } from "../server/api.js";
import { accountWords } from "../words/account/i18n.js";
import { words } from "../words/i18n.js";

// A word with a few digits is long and yet guessed at once.
const simple = /^\p{L}+\d*$/u;

/** How many of the meter's four bars a password fills. */
function strength(password) {
  const length = [...password].length;
  if (length === 0) return 0;
  if (length < 10 || (length < 14 && simple.test(password))) return 1;
  return length < 14 ? 2 : length < 20 ? 3 : 4;
}

/** A checkbox that shows what was typed into a password's field. */
function revealing(control) {
  const onchange = ({ target }) => {
    control.type = target.checked ? "text" : "password";
  };
  return h("label", { class: "reveal small" }, h("input", { type: "checkbox", onchange }), accountWords.password.show);
}

/** A field for a new password with a meter; the server alone judges. */
export function newPassword(label, name = "password") {
  const bars = [1, 2, 3, 4].map(() => h("i"));
  const meter = h("div", { class: "meter", "aria-hidden": "true" }, bars);
  const oninput = ({ target }) => {
    const full = strength(target.value);
    bars.forEach((bar, index) => {
      bar.className = index >= full ? "" : full === 1 ? "low" : "on";
    });
  };
  const made = field(
    name,
    label,
    input({ type: "password", autocomplete: "new-password", minlength: 10, oninput }),
    accountWords.password.hint,
  );
  made.input.after(meter);
  made.root.append(revealing(made.input));
  return made;
}

/** The address that a new password is for, so that people see it and browsers keep both together; it cannot be changed. */
export const ownAddress = (email) =>
  field("email", words.email, input({ class: "in told", type: "email", autocomplete: "username", readonly: true, value: email }));

/** A field for the password one has; an account that has none yet finds how to get one. */
export function currentPassword(name) {
  const made = field(name, accountWords.password.current, input({ type: "password", autocomplete: "current-password" }));
  made.root.append(h("p", { class: "small" }, h("a", { href: "/reset" }, words.signIn.forgotten)));
  return made;
}

/** The line of the settings page that changes the password, or leads to a first one; `changed()` is called afterwards. */
export function passwordLine(hasPassword, sendsMail, changed) {
  const { providers } = accountWords;
  if (!hasPassword) {
    const choose = h("a", { class: "btn quiet small", href: "/reset" }, providers.passwordChoose);
    return line(b(accountWords.password.label), sendsMail ? providers.passwordNone : providers.passwordNoneNoMail, choose, false);
  }
  const done = h("span", { class: "hint", role: "status" });
  const open = () => {
    const change = async (values) => {
      await put("/me/password", values);
      close();
      done.textContent = accountWords.password.changed;
      changed();
    };
    const fields = [currentPassword("current"), newPassword(accountWords.newPassword.label, "new")];
    const close = sheet(
      accountWords.password.change,
      h("p", { class: "muted" }, accountWords.password.changeLead),
      form(fields, accountWords.newPassword.submit, change),
    );
  };
  const change = button(accountWords.settings.change, open, "btn quiet small", { "aria-label": accountWords.password.change });
  return line(b(accountWords.password.label), [accountWords.settings.passwordHint, done], change, false);
}
