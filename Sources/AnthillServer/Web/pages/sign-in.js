import { enter } from "../js/account/account.js";
import { cameBack } from "../js/account/leaving.js";
import { providerButtons } from "../js/account/providers.js";
import { forgetPages } from "../js/device/kept-pages.js";
import { recall, remember } from "../js/device/memory.js";
import { h } from "../js/parts/dom.js";
import { emailInput, field, form, input } from "../js/parts/form.js";
import { postOnce } from "../js/server/api.js";
import { publicPage } from "../js/shell/frame.js";
import { gate } from "../js/shell/gate.js";
import { announce } from "../js/shell/notices.js";
import { accountWords } from "../js/words/account/i18n.js";
import { entranceWords } from "../js/words/entrance/i18n.js";
import { words } from "../js/words/i18n.js";

// A page of this browser, where somebody was signed in, led here.
const isSignedOut = recall("signed-in") && new URLSearchParams(location.search).has("next");
remember("signed-in", null);
forgetPages();
const main = publicPage({ title: words.signIn.title, entrance: false });
const email = field("email", words.email, emailInput({ autocomplete: "username" }));
const password = field("password", accountWords.password.label, input({ type: "password", autocomplete: "current-password" }));

const signIn = async (values) => {
  const { user, would_have_left_at: kept } = await postOnce("/sign-ins", { ...values, delivery: "cookie" });
  if (!kept) return enter(user);
  main.replaceChildren(cameBack(kept, () => enter(user)));
  announce(accountWords.leaving.staysTitle, { seen: true });
  main.focus();
};

const also = h(
  "p",
  { class: "small muted" },
  h("a", { href: "/reset" }, words.signIn.forgotten),
  " · ",
  h("a", { href: "/find-email" }, words.signIn.whichEmail),
  " · ",
  h("a", { href: `/register${location.search}` }, entranceWords.register.title),
);
main.replaceChildren(
  gate(
    words.signIn.title,
    isSignedOut ? entranceWords.signedOut : words.signIn.lead,
    form([email, password], words.signIn.submit, signIn),
    providerButtons(),
    also,
  ),
);
