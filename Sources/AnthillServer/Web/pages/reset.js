import { noMail, terms } from "../js/account/terms.js";
import { b, h } from "../js/parts/dom.js";
import { field, form, input } from "../js/parts/form.js";
import { postOnce } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate } from "../js/shell/gate.js";
import { announce, fill, notice } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";

const main = publicPage({ title: words.reset.title });
const email = field("email", words.email, input({ type: "email", autocomplete: "email", inputmode: "email" }));

const ask = async (values) => {
  await postOnce("/password-resets", values);
  main.replaceChildren(
    gate(words.reset.sentTitle, null, h("p", {}, words.reset.sent(b(values.email))), notice("", "info", null, words.reset.spam)),
  );
  announce(words.reset.sentTitle);
};

const also = h("p", { class: "small muted" }, h("a", { href: "/sign-in" }, words.signIn.title));
await fill(main, async () =>
  (await terms()).sends_mail
    ? gate(words.reset.title, words.reset.lead, form([email], words.reset.submit, ask), also)
    : noMail(words.reset.noMail),
);
