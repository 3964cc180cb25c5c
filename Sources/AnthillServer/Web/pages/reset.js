import { postOnce } from "../js/api.js";
import { b, h } from "../js/dom.js";
import { field, form, input } from "../js/form.js";
import { publicPage } from "../js/frame.js";
import { gate } from "../js/gate.js";
import { words } from "../js/i18n.js";
import { announce, notice } from "../js/notices.js";

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
main.replaceChildren(gate(words.reset.title, words.reset.lead, form([email], words.reset.submit, ask), also));
