import { b, button, h } from "../parts/dom.js";
import { field, form, input } from "../parts/form.js";
import { sheet } from "../parts/sheet.js";
import { get, postOnce } from "../server/api.js";
import { words } from "../words/i18n.js";
import { confirming } from "./confirm.js";
import { currentPassword } from "./password.js";
import { line } from "./settings-card.js";

const text = words.newEmail;

/** The line of the settings page that changes the address. */
export function emailLine() {
  const sent = h("span", { class: "hint", role: "status" });
  const open = async () => {
    const { has_password: hasPassword } = await get("/me/identities");
    const email = field("email", text.label, input({ type: "email", autocomplete: "email", inputmode: "email" }));
    const ask = async (values) => {
      const send = async () => {
        await postOnce("/me/email-changes", values);
        close();
        sent.replaceChildren(...text.sent(b(values.email)));
      };
      await (hasPassword ? send() : confirming(text.change, text.changeLead, text.send, send));
    };
    const close = sheet(
      text.change,
      h("p", { class: "muted" }, text.changeLead),
      form(hasPassword ? [email, currentPassword("password")] : [email], text.send, ask),
    );
  };
  const change = button(words.settings.change, open, "btn quiet small", { "aria-label": text.change });
  return line(b(words.email), [text.hint, sent], change, false);
}
