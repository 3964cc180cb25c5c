import { postOnce } from "../js/api.js";
import { b, button, h } from "../js/dom.js";
import { field, form, input } from "../js/form.js";
import { publicPage } from "../js/frame.js";
import { gate } from "../js/gate.js";
import { words } from "../js/i18n.js";
import { language } from "../js/language.js";
import { announce, notice } from "../js/notices.js";
import { waitingButton } from "../js/waiting-button.js";

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
