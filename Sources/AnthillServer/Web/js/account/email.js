import { b, button, h } from "../parts/dom.js";
import { emailInput, field, form, said } from "../parts/form.js";
import { line } from "../parts/line.js";
import { sheet } from "../parts/sheet.js";
import { get, postOnce, remove } from "../server/api.js";
import { announce } from "../shell/notices.js";
import { accountWords } from "../words/account/i18n.js";
import { words } from "../words/i18n.js";
import { confirming } from "./confirm.js";
import { currentPassword } from "./password.js";

const text = accountWords.newEmail;

/**
 * The line of the settings page that changes the address, and withdraws a change that is not confirmed yet. Without mail
 * nobody can confirm an address: the operator changes it.
 */
export function emailLine(user, sendsMail) {
  if (!sendsMail) return line(b(words.email), text.noMail, null, false);
  const state = h("span", { class: "hint", role: "status" });
  const change = button(accountWords.settings.change, open, "btn quiet small", { "aria-label": text.change });
  const withdrawal = button(text.withdraw, withdraw, "btn text small", { "aria-label": text.withdrawLabel });

  function show(...told) {
    state.replaceChildren(...told);
    withdrawal.hidden = !user.new_email;
  }

  async function open() {
    const found = await get("/me/identities").catch((problem) => announce(said(problem)));
    if (!found) return;
    const { has_password: hasPassword } = found;
    const email = field("email", text.label, emailInput());
    const ask = async (values) => {
      const send = async () => {
        await postOnce("/me/email-changes", values);
        close();
        user.new_email = values.email;
        show(...text.sent(b(values.email)));
      };
      await (hasPassword ? send() : confirming(text.change, text.changeLead, text.send, send));
    };
    const close = sheet(
      text.change,
      h("p", { class: "muted" }, text.changeLead),
      form(hasPassword ? [email, currentPassword("password")] : [email], text.send, ask),
    );
  }

  async function withdraw() {
    try {
      await remove("/me/email-changes");
    } catch (problem) {
      if (!("status" in problem)) throw problem;
      // It was confirmed or withdrawn elsewhere: the page shows what is true now.
      if (problem.status === 404) location.reload();
      else show(said(problem));
      return;
    }
    user.new_email = null;
    show(text.withdrawn);
    change.focus();
  }

  show(...(user.new_email ? text.waiting(b(user.new_email)) : []));
  return line(b(words.email), [text.hint, state], h("div", { class: "btns" }, change, withdrawal), false);
}
