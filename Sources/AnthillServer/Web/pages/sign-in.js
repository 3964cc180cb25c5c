import { enter } from "../js/account.js";
import { postOnce } from "../js/api.js";
import { h } from "../js/dom.js";
import { field, form, input } from "../js/form.js";
import { publicPage } from "../js/frame.js";
import { gate } from "../js/gate.js";
import { words } from "../js/i18n.js";
import { remember } from "../js/memory.js";

remember("signed-in", null);
const main = publicPage({ title: words.signIn.title, entrance: false });
const email = field("email", words.email, input({ type: "email", autocomplete: "username", inputmode: "email" }));
const password = field("password", words.password.label, input({ type: "password", autocomplete: "current-password" }));

const signIn = async (values) => enter((await postOnce("/sign-ins", { ...values, delivery: "cookie" })).user);

const also = h(
  "p",
  { class: "small muted" },
  h("a", { href: "/reset" }, words.signIn.forgotten),
  " · ",
  h("a", { href: `/register${location.search}` }, words.register.title),
);
main.replaceChildren(gate(words.signIn.title, words.signIn.lead, form([email, password], words.signIn.submit, signIn), also));
