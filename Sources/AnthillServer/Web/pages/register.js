import { waitingButton } from "../js/account/waiting-button.js";
import { b, button, h } from "../js/parts/dom.js";
import { field, form, input } from "../js/parts/form.js";
import { postOnce } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate } from "../js/shell/gate.js";
import { announce, notice } from "../js/shell/notices.js";
import { words } from "../js/words/i18n.js";
import { language } from "../js/words/language.js";

const main = publicPage({ title: words.register.title });

function ask(address = "") {
  const email = field("email", words.email, input({ type: "email", autocomplete: "email", inputmode: "email", value: address }));
  const send = async (values) => {
    await register(values.email);
    sent(values.email);
  };
  const also = h("p", { class: "small muted" }, words.register.already, " ", h("a", { href: "/sign-in" }, words.signIn.title));
  main.replaceChildren(gate(words.register.title, words.register.lead, form([email], words.register.submit, send), also));
}

const register = (email) => postOnce("/registrations", { email, locale: language });

function sent(address) {
  const title = h("h1", { id: "gate", tabindex: "-1" }, words.register.sentTitle);
  const card = h(
    "div",
    { class: "card form" },
    title,
    h("p", {}, words.register.sent(b(address))),
    notice("", "info", null, words.register.spam),
    waitingButton(words.register.again, words.register.againIn, () => register(address)),
    h(
      "p",
      { class: "small" },
      button(words.register.other, () => ask(), "link"),
    ),
  );
  main.replaceChildren(h("section", { class: "gate", "aria-labelledby": "gate" }, card));
  announce(words.register.sentTitle);
  title.focus();
}

ask();
